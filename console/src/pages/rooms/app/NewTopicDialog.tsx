import { useReadAgain } from '../../../api/useReadAgain.js';
import { answerOf } from '../../../api/failure.js';
import { rowsOf } from '../../../api/pages.js';
import { Dialog } from '../../../components/Dialog.js';
import { CheckboxField, TextField } from '../../../components/fields.js';
import { Form } from '../../../components/Form.js';
import { toast } from '../../../components/Toast.js';
import { useProject } from '../../../session/console.js';
import type { App, Room } from '../model.js';

interface NewTopicDialogProps {
  readonly app: App;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A room has the topics that the app had when it was made: a new one is added to them, too. */
export const NewTopicDialog = ({ app, isOpen, onClose }: NewTopicDialogProps) => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  const path = { appId: app.appId };

  const addTo = ({ roomId, topics }: Room, topic: string): Promise<unknown> =>
    answerOf(
      api.PATCH('/apps/{appId}/rooms/{roomId}', {
        params: { path: { ...path, roomId } },
        body: { topics: [...topics, topic] },
      }),
    );

  return (
    <Dialog title="New topic" isOpen={isOpen} onClose={onClose}>
      <Form
        submit="Add the topic"
        onCancel={onClose}
        onSubmit={async (values) => {
          const topic = values.text('topics');
          const body = { topics: [...app.topics, topic] };
          await answerOf(api.PATCH('/apps/{appId}', { params: { path }, body }));
          if (values.flag('inRooms')) {
            const answer = await answerOf(api.GET('/apps/{appId}/rooms', { params: { path } }));
            const lacking = rowsOf<Room>(answer).filter(
              ({ topics }) => topics.length > 0 && !topics.includes(topic),
            );
            for (const room of lacking) await addTo(room, topic);
          }
          await readAgain();
          onClose();
          toast(`${topic} is added`);
        }}
      >
        <TextField
          name="topics"
          label="Name"
          description="The last part of its addresses: letters, digits, - and _."
          isRequired
          autoFocus
          autoComplete="off"
          isCode
        />
        <CheckboxField
          name="inRooms"
          label="In the rooms that there are, too"
          description="Otherwise only rooms that are made from now on have it."
          defaultSelected
        />
      </Form>
    </Dialog>
  );
};
