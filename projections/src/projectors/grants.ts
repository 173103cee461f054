import { createdGrant, type GrantEvent } from '@roomwire/shared/domain/rooms/grant';
import type { Projector } from './projector.js';

export const grants: Projector<GrantEvent> = {
  RoomGrantAdded: (data, { occurredAt, position }) => [
    {
      put: 'grants',
      id: data.roomActorAccessId,
      doc: { ...createdGrant(data, occurredAt), createdPosition: position },
    },
  ],
  RoomGrantRevoked: ({ roomActorAccessId }) => [{ remove: 'grants', id: roomActorAccessId }],
};
