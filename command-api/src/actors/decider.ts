import {
  actorStream,
  evolveActor,
  type Actor,
  type ActorChanges,
  type ActorEvent,
  type ActorFields,
} from '@roomwire/shared/domain/actors/actor';
import { changedFields } from '../handling/changedFields.js';
import type { Target } from '../handling/commandHandler.js';
import type { Decider } from '../handling/decider.js';
import { Refusal } from '../handling/refusal.js';

interface ExistingActor {
  readonly actorTokenId: string;
  readonly projectId: string;
}

export type ActorCommand =
  | { readonly type: 'CreateActor'; readonly actor: ActorFields }
  | ({ readonly type: 'UpdateActor'; readonly changes: ActorChanges } & ExistingActor)
  | ({ readonly type: 'DeleteActor' } & ExistingActor);

export type ActorState = Actor | undefined;

export const actorDecider: Decider<ActorState, ActorCommand, ActorEvent> = {
  initial: () => undefined,
  evolve: evolveActor,
  decide(command, actor) {
    switch (command.type) {
      case 'CreateActor':
        return actor ? [] : [{ type: 'ActorCreated', data: command.actor }];
      case 'UpdateActor': {
        const { actorTokenId } = command;
        const changes = changedFields(existing(actor, command), command.changes);
        return changes ? [{ type: 'ActorUpdated', data: { actorTokenId, changes } }] : [];
      }
      case 'DeleteActor':
        existing(actor, command);
        return [{ type: 'ActorDeleted', data: { actorTokenId: command.actorTokenId } }];
    }
  },
};

export const actorTarget = (actorTokenId: string): Target<ActorState, ActorCommand, ActorEvent> => ({
  stream: actorStream(actorTokenId),
  decider: actorDecider,
});

/** An actor of another project does not exist. */
export const existing = (actor: ActorState, { actorTokenId, projectId }: ExistingActor): Actor => {
  if (actor?.projectId !== projectId) throw new Refusal('actor_not_found', { actorId: actorTokenId });
  return actor;
};
