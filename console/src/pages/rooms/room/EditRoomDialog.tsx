import { Fragment, useState } from 'react';
import { Dialog } from '../../../components/Dialog.js';
import { TextField } from '../../../components/fields.js';
import { Form } from '../../../components/Form.js';
import type { FormValues } from '../../../components/formValues.js';
import { toast } from '../../../components/Toast.js';
import { editOf } from '../edit.js';
import type { App, Room } from '../model.js';
import { useRoomChange } from './useRoomChange.js';

interface EditRoomDialogProps {
  readonly app: App;
  readonly room: Room;
  readonly onClose: () => void;
}

export const EditRoomDialog = ({ app, room, onClose }: EditRoomDialogProps) => {
  // The fields keep what they began with, whatever the page reads meanwhile.
  const [shown, show] = useState(room);
  const { change, question } = useRoomChange(shown, show);

  const save = async (values: FormValues): Promise<void> => {
    const entered = {
      name: values.text('name'),
      description: values.optional('description') ?? null,
      topics: values.list('topics'),
      metadata: (values.json('metadata') ?? {}) as Record<string, unknown>,
    };
    if (!(await change(editOf(shown, entered), `Change ${room.name}?`))) return;
    onClose();
    toast(`${room.name} is changed`);
  };

  return (
    <>
      <Dialog title={`Edit ${room.name}`} isOpen onClose={onClose}>
        <Form submit="Save" onCancel={onClose} onSubmit={save}>
          <Fragment key={shown.updatedAt}>
            <TextField name="name" label="Name" defaultValue={shown.name} isRequired autoFocus />
            <TextField
              name="topics"
              label="Topics"
              description={`Of the app's: ${app.topics.join(', ') || 'it has none yet'}. All of them without any.`}
              defaultValue={shown.topics.join(', ')}
              isCode
            />
            <TextField name="description" label="Description" defaultValue={shown.description ?? ''} />
            <TextField
              name="metadata"
              label="Metadata"
              description="A JSON object of your own; Roomwire makes nothing of it."
              defaultValue={JSON.stringify(shown.metadata, null, 2)}
              rows={4}
              isCode
            />
          </Fragment>
        </Form>
      </Dialog>
      {question}
    </>
  );
};
