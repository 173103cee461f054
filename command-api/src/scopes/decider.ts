import {
  evolveScope,
  scopesStream,
  type Scope,
  type ScopeChanges,
  type ScopeEvent,
  type ScopeFields,
  type ScopeMembership,
} from '@roomwire/shared/domain/scopes/scope';
import { changedFields, type Decider, type Target } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';

export type ScopeCommand =
  | { readonly type: 'CreateScope'; readonly scope: ScopeFields }
  | { readonly type: 'UpdateScope'; readonly accessScopeId: string; readonly changes: ScopeChanges }
  | { readonly type: 'DeleteScope'; readonly accessScopeId: string }
  /** An inactive scope may be moved into: it denies its actors, it does not lose them. */
  | { readonly type: 'TakePlace'; readonly place: ScopeMembership }
  /** Nothing happens when the place is not held: giving back may be repeated. */
  | { readonly type: 'GiveBackPlace'; readonly place: ScopeMembership };

/** A place in a scope, and since when it is held. */
export interface HeldPlace extends ScopeMembership {
  readonly takenAt: string;
}

interface KeptScope {
  record: Scope;
  readonly places: Map<string, HeldPlace>;
}

/** The scopes of a project. */
export interface ScopesState {
  readonly byId: Map<string, KeptScope>;
  readonly slugs: Set<string>;
}

export const scopesDecider: Decider<ScopesState, ScopeCommand, ScopeEvent> = {
  initial: () => ({ byId: new Map(), slugs: new Set() }),

  evolve(state, event) {
    const { accessScopeId } = event.data;
    const kept = state.byId.get(accessScopeId);
    if (event.type === 'ScopeMembershipTaken') {
      kept?.places.set(event.data.membershipId, { ...event.data, takenAt: event.occurredAt });
      return state;
    }
    if (event.type === 'ScopeMembershipGivenBack') {
      kept?.places.delete(event.data.membershipId);
      return state;
    }
    const record = evolveScope(kept?.record, event);
    if (record) {
      state.byId.set(accessScopeId, { places: kept?.places ?? new Map<string, HeldPlace>(), record });
      state.slugs.add(record.slug);
    } else if (kept) {
      state.byId.delete(accessScopeId);
      state.slugs.delete(kept.record.slug);
    }
    return state;
  },

  decide(command, state) {
    switch (command.type) {
      case 'CreateScope': {
        const { slug } = command.scope;
        if (state.slugs.has(slug)) throw new Rejection('scope_slug_taken', { slug });
        return [{ type: 'ScopeCreated', data: command.scope }];
      }
      case 'UpdateScope': {
        const { accessScopeId } = command;
        const changes = changedFields(existing(state, accessScopeId), command.changes);
        return changes ? [{ type: 'ScopeUpdated', data: { accessScopeId, changes } }] : [];
      }
      case 'DeleteScope': {
        const { accessScopeId } = command;
        existing(state, accessScopeId);
        const actors = new Set(placesIn(state, accessScopeId).map(({ actorTokenId }) => actorTokenId)).size;
        if (actors > 0) throw new Rejection('scope_in_use', { actors });
        return [{ type: 'ScopeDeleted', data: { accessScopeId } }];
      }
      case 'TakePlace': {
        const { accessScopeId } = command.place;
        if (!state.byId.has(accessScopeId)) throw new Rejection('scope_not_in_project', { accessScopeId });
        return [{ type: 'ScopeMembershipTaken', data: command.place }];
      }
      case 'GiveBackPlace': {
        const { membershipId, accessScopeId } = command.place;
        const isHeld = state.byId.get(accessScopeId)?.places.has(membershipId) === true;
        return isHeld ? [{ type: 'ScopeMembershipGivenBack', data: command.place }] : [];
      }
    }
  },
};

export const scopesTarget = (projectId: string): Target<ScopesState, ScopeCommand, ScopeEvent> => ({
  stream: scopesStream(projectId),
  decider: scopesDecider,
});

export const existing = (state: ScopesState, accessScopeId: string): Scope => {
  const kept = state.byId.get(accessScopeId);
  if (kept === undefined) throw new Rejection('scope_not_found', { accessScopeId });
  return kept.record;
};

/** Every place held in a scope, the oldest first. */
export const placesIn = (state: ScopesState, accessScopeId: string): readonly HeldPlace[] => [
  ...(state.byId.get(accessScopeId)?.places.values() ?? []),
];
