import { useState } from 'react';
import { useLocation } from 'wouter';
import { attempt } from '../../../components/attempt.js';
import { Button } from '../../../components/Button.js';
import { useMay } from '../../../session/console.js';
import { editOf } from '../edit.js';
import type { App, Room } from '../model.js';
import { DeleteRoomDialog } from './DeleteRoomDialog.js';
import { EditRoomDialog } from './EditRoomDialog.js';
import { useRoomChange } from './useRoomChange.js';

interface RoomActionsProps {
  readonly app: App;
  readonly room: Room;
}

/** What may be done with the room as a whole. */
export const RoomActions = ({ app, room }: RoomActionsProps) => {
  const [, navigate] = useLocation();
  const { change, question } = useRoomChange(room);
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = (): void => setOpen(undefined);
  const isActive = room.status === 'active';
  if (!useMay('editor')) return null;

  const toggle = (): Promise<void> => {
    const status = isActive ? 'disabled' : 'active';
    return attempt(`${room.name} is ${status}`, () =>
      change(editOf(room, { status }), `Disable ${room.name}?`),
    );
  };

  return (
    <>
      <Button onPress={() => setOpen('edit')}>Edit</Button>
      <Button onPress={() => void toggle()}>{isActive ? 'Disable' : 'Enable'}</Button>
      <Button onPress={() => setOpen('delete')}>Delete…</Button>
      {open === 'edit' && <EditRoomDialog app={app} room={room} onClose={close} />}
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
