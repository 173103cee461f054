import { createdRoom, type RoomEvent } from '@roomwire/shared/domain/rooms/room';
import type { Projector } from './projector.js';

export const rooms: Projector<RoomEvent> = {
  RoomCreated: (data, { occurredAt, position }) => [
    { put: 'rooms', id: data.roomId, doc: { ...createdRoom(data, occurredAt), createdPosition: position } },
  ],
  RoomUpdated: ({ roomId, changes }, { occurredAt }) => [
    { patch: 'rooms', id: roomId, set: { ...changes, updatedAt: occurredAt } },
  ],
  RoomDeleted: ({ roomId }) => [
    { remove: 'rooms', id: roomId },
    { removeWhere: 'grants', filter: { roomId } },
  ],
};
