import {
  actorStream,
  evolveActor,
  type Actor,
  type ActorChanges,
  type ActorEvent,
  type ActorFields,
} from '@roomwire/shared/domain/actor';
import type { TokenRevocationFields, TokensRevokedEvent } from '@roomwire/shared/domain/tokenRevocation';
import type { ScopeMembership } from '@roomwire/shared/domain/scope';
import { changedFields, type Decider, targetOf } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';

interface ExistingActor {
  readonly actorTokenId: string;
  readonly projectId: string;
}

export type ActorCommand =
  | { readonly type: 'CreateActor'; readonly actor: ActorFields }
  | ({ readonly type: 'UpdateActor'; readonly changes: ActorChanges } & ExistingActor)
  | { readonly type: 'RevokeActorTokens'; readonly revocation: TokenRevocationFields }
  | ({ readonly type: 'DeleteActor' } & ExistingActor);

export interface ActorState {
  readonly actor: Actor | undefined;
  /** The scope membership that the last event ended; it is released next. */
  readonly left: ScopeMembership | undefined;
}

type RecordedActorEvent = ActorEvent | TokensRevokedEvent;

export const actorDecider: Decider<ActorState, ActorCommand, RecordedActorEvent> = {
  initial: () => ({ actor: undefined, left: undefined }),

  evolve({ actor: before }, event) {
    const actor = event.type === 'TokensRevoked' ? before : evolveActor(before, event);
    const membership = membershipOf(before);
    return {
      actor,
      left: membership?.membershipId === membershipOf(actor)?.membershipId ? undefined : membership,
    };
  },

  decide(command, state) {
    switch (command.type) {
      case 'CreateActor':
        return state.actor ? [] : [{ type: 'ActorCreated', data: command.actor }];
      case 'UpdateActor': {
        const { actorTokenId } = command;
        const actor = existing(state, command);
        const changes = changedFields(actor, keepingMembership(actor, command.changes));
        return changes ? [{ type: 'ActorUpdated', data: { actorTokenId, changes } }] : [];
      }
      // Here, so that none is made beside the actor's deletion, with which they go.
      case 'RevokeActorTokens':
        existing(state, command.revocation);
        return [{ type: 'TokensRevoked', data: command.revocation }];
      case 'DeleteActor':
        existing(state, command);
        return [{ type: 'ActorDeleted', data: { actorTokenId: command.actorTokenId } }];
    }
  },
};

export const actorTarget = targetOf(actorStream, actorDecider);

/** An actor that is in the scope already keeps its membership. */
const keepingMembership = (actor: Actor, changes: ActorChanges): ActorChanges =>
  changes.accessScopeId === actor.accessScopeId
    ? { ...changes, scopeMembershipId: actor.scopeMembershipId }
    : changes;

/** Undefined for an actor that is in no scope. */
export const membershipOf = (actor: Actor | undefined): ScopeMembership | undefined => {
  if (actor === undefined) return undefined;
  const { actorTokenId, accessScopeId, scopeMembershipId } = actor;
  if (accessScopeId === null || scopeMembershipId === null) return undefined;
  return { membershipId: scopeMembershipId, accessScopeId, actorTokenId };
};

/** An actor of another project does not exist. */
export const existing = ({ actor }: ActorState, { actorTokenId, projectId }: ExistingActor): Actor => {
  if (actor?.projectId !== projectId) throw new Rejection('actor_not_found', { actorId: actorTokenId });
  return actor;
};
