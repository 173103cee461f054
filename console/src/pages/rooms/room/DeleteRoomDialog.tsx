import { useReadAgain } from '../../../api/useReadAgain.js';
import { answerOf } from '../../../api/failure.js';
import { ConfirmDialog } from '../../../components/ConfirmDialog.js';
import { toast } from '../../../components/Toast.js';
import { ForetoldImpact } from '../../../impact/ForetoldImpact.js';
import { useProject } from '../../../session/console.js';
import type { Room } from '../model.js';

interface DeleteRoomDialogProps {
  readonly room: Room;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export const DeleteRoomDialog = ({ room, isOpen, onClose, onDeleted }: DeleteRoomDialogProps) => {
  const { api } = useProject();
  const readAgain = useReadAgain();
  const { appId, roomId, name, slug } = room;
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      confirm="Delete the room"
      typed={slug}
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async () => {
        const params = { path: { appId, roomId } };
        await answerOf(api.DELETE('/apps/{appId}/rooms/{roomId}', { params }));
        onDeleted();
        await readAgain();
        toast(`${name} is deleted`);
      }}
    >
      <p>Its grants and the messages on record go with it. Nobody can bring them back.</p>
      <ForetoldImpact change={{ method: 'DELETE', path: `/apps/${appId}/rooms/${roomId}` }} />
    </ConfirmDialog>
  );
};
