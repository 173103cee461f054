import { useReadAgain } from '../../../api/useReadAgain.js';
import { answerOf } from '../../../api/failure.js';
import { rowsOf } from '../../../api/pages.js';
import { Dialog } from '../../../components/Dialog.js';
import { CheckboxField, TextField } from '../../../components/fields.js';
import { Form } from '../../../components/Form.js';
import { toast } from '../../../components/Toast.js';
import { useProject } from '../../../session/console.js';
import type { App, Room } from '../model.js';
import { appRecord, roomRecord } from '../records.js';
import { withTopic } from './topicEdits.js';

interface NewTopicDialogProps {
  readonly app: App;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A room has the topics that the app had when it was made: a new one is added to them, too. */
export const NewTopicDialog = ({ app, isOpen, onClose }: NewTopicDialogProps) => {
  const { api } = useProject();
  const readAgain = useReadAgain();

  const addToApp = async (topic: string): Promise<void> => {
    const { read, write } = appRecord(api, app);
    await write(withTopic(await read(), topic));
  };

  const addToRooms = async (topic: string): Promise<void> => {
    const params = { path: { appId: app.appId } };
    const rooms = rowsOf<Room>(await answerOf(api.GET('/apps/{appId}/rooms', { params })));
    for (const room of rooms.filter((one) => lacks(one, topic))) {
      const { read, write } = roomRecord(api, room);
      const now = await read();
      if (lacks(now, topic)) await write(withTopic(now, topic));
    }
  };

  return (
    <Dialog title="New topic" isOpen={isOpen} onClose={onClose}>
      <Form
        submit="Add the topic"
        onCancel={onClose}
        onSubmit={async (values) => {
          const topic = values.text('topics');
          await addToApp(topic);
          if (values.flag('inRooms')) await addToRooms(topic);
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

/** A room without topics of its own has all of the app's. */
const lacks = ({ topics }: Room, topic: string): boolean => topics.length > 0 && !topics.includes(topic);
