import { useState } from 'react';
import { useLocation } from 'wouter';
import { useReadAgain } from '../../../api/useReadAgain.js';
import { answerOf } from '../../../api/failure.js';
import { attempt } from '../../../components/attempt.js';
import { Button } from '../../../components/Button.js';
import { Dialog } from '../../../components/Dialog.js';
import { TextField } from '../../../components/fields.js';
import { Form } from '../../../components/Form.js';
import type { FormValues } from '../../../components/formValues.js';
import { toast } from '../../../components/Toast.js';
import { useGuardedChange } from '../../../impact/useGuardedChange.js';
import { useMay, useProject } from '../../../session/console.js';
import type { App, Room, RoomChanges } from '../model.js';
import { DeleteRoomDialog } from './DeleteRoomDialog.js';

interface RoomActionsProps {
  readonly app: App;
  readonly room: Room;
}

/** What may be done with the room as a whole. */
export const RoomActions = ({ app, room }: RoomActionsProps) => {
  const { api } = useProject();
  const [, navigate] = useLocation();
  const readAgain = useReadAgain();
  const { guard, question } = useGuardedChange();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = (): void => setOpen(undefined);
  const path = { appId: app.appId, roomId: room.roomId };
  const isActive = room.status === 'active';
  if (!useMay('editor')) return null;

  const change = (body: RoomChanges, title: string): Promise<boolean> =>
    guard({
      title,
      confirm: 'Change it',
      method: 'PATCH',
      path: `/apps/${path.appId}/rooms/${path.roomId}`,
      body,
      run: async () => {
        await answerOf(api.PATCH('/apps/{appId}/rooms/{roomId}', { params: { path }, body }));
        await readAgain();
      },
    });

  const toggle = (): Promise<void> => {
    const status = isActive ? 'disabled' : 'active';
    return attempt(`${room.name} is ${status}`, () => change({ status }, `Disable ${room.name}?`));
  };

  const save = async (values: FormValues): Promise<void> => {
    const body = {
      name: values.text('name'),
      description: values.optional('description') ?? null,
      topics: values.list('topics'),
      metadata: (values.json('metadata') ?? {}) as Record<string, unknown>,
    };
    if (!(await change(body, `Change ${room.name}?`))) return;
    close();
    toast(`${room.name} is changed`);
  };

  return (
    <>
      <Button onPress={() => setOpen('edit')}>Edit</Button>
      <Button onPress={() => void toggle()}>{isActive ? 'Disable' : 'Enable'}</Button>
      <Button onPress={() => setOpen('delete')}>Delete…</Button>
      <Dialog title={`Edit ${room.name}`} isOpen={open === 'edit'} onClose={close}>
        <Form submit="Save" onCancel={close} onSubmit={save}>
          <TextField name="name" label="Name" defaultValue={room.name} isRequired autoFocus />
          <TextField
            name="topics"
            label="Topics"
            description={`Of the app's: ${app.topics.join(', ') || 'it has none yet'}. All of them without any.`}
            defaultValue={room.topics.join(', ')}
            isCode
          />
          <TextField name="description" label="Description" defaultValue={room.description ?? ''} />
          <TextField
            name="metadata"
            label="Metadata"
            description="A JSON object of your own; Roomwire makes nothing of it."
            defaultValue={JSON.stringify(room.metadata, null, 2)}
            rows={4}
            isCode
          />
        </Form>
      </Dialog>
      <DeleteRoomDialog
        room={room}
        isOpen={open === 'delete'}
        onClose={close}
        onDeleted={() => navigate(`/${app.appId}`)}
      />
      {question}
    </>
  );
};
