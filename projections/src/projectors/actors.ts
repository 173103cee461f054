import { createdActor, type ActorEvent } from '@roomwire/shared/domain/actors/actor';
import type { Projector } from './projector.js';

export const actors: Projector<ActorEvent> = {
  ActorCreated: (data, { occurredAt, position }) => [
    {
      put: 'actors',
      id: data.actorTokenId,
      doc: { ...createdActor(data, occurredAt), createdPosition: position },
    },
  ],
  ActorUpdated: ({ actorTokenId, changes }, { occurredAt }) => [
    { patch: 'actors', id: actorTokenId, set: { ...changes, updatedAt: occurredAt } },
  ],
  ActorDeleted: ({ actorTokenId }) => [{ remove: 'actors', id: actorTokenId }],
};
