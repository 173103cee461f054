import {
  evolveScope,
  scopesStream,
  type Scope,
  type ScopeChanges,
  type ScopeEvent,
  type ScopeFields,
  type ScopeMembership,
} from '@roomwire/shared/domain/scope';
import { inPlace, type Edits } from '../handling/edits.js';
import { changedFields, type Decider, targetOf } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';

export type ScopeCommand =
  | { readonly type: 'CreateScope'; readonly scope: ScopeFields }
  | { readonly type: 'UpdateScope'; readonly accessScopeId: string; readonly changes: ScopeChanges }
  | { readonly type: 'DeleteScope'; readonly accessScopeId: string }
  /** Allowed for an inactive scope too: it denies its actors, but keeps them. */
  | { readonly type: 'TakeMembership'; readonly membership: ScopeMembership }
  /** Idempotent: a membership that is not held is ignored. */
  | { readonly type: 'ReleaseMembership'; readonly membership: ScopeMembership };

/** A scope membership, and since when it is held. */
export interface HeldMembership extends ScopeMembership {
  readonly takenAt: string;
}

interface KeptScope {
  readonly record: Scope;
  readonly memberships: Map<string, HeldMembership>;
}

/** The scopes of a project. */
export interface ScopesState {
  readonly byId: Map<string, KeptScope>;
  readonly slugs: Set<string>;
}

export const scopesDecider: Decider<ScopesState, ScopeCommand, ScopeEvent> = {
  initial: () => ({ byId: new Map(), slugs: new Set() }),

  evolve(state, event, edits = inPlace) {
    const { accessScopeId } = event.data;
    const kept = state.byId.get(accessScopeId);
    if (event.type === 'ScopeMembershipTaken')
      return putMembership(state, { ...event.data, takenAt: event.occurredAt }, edits);
    if (event.type === 'ScopeMembershipGivenBack') {
      if (kept) edits.remove(kept.memberships, event.data.membershipId);
      return state;
    }
    const record = evolveScope(kept?.record, event);
    if (record) return putScope(state, record, edits);
    if (kept === undefined) return state;
    edits.remove(state.byId, accessScopeId);
    edits.remove(state.slugs, kept.record.slug);
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
        const actors = new Set(membershipsIn(state, accessScopeId).map(({ actorTokenId }) => actorTokenId))
          .size;
        if (actors > 0) throw new Rejection('scope_in_use', { actors });
        return [{ type: 'ScopeDeleted', data: { accessScopeId } }];
      }
      case 'TakeMembership': {
        const { accessScopeId } = command.membership;
        if (!state.byId.has(accessScopeId)) throw new Rejection('scope_not_in_project', { accessScopeId });
        return [{ type: 'ScopeMembershipTaken', data: command.membership }];
      }
      case 'ReleaseMembership': {
        const { membershipId, accessScopeId } = command.membership;
        const isHeld = state.byId.get(accessScopeId)?.memberships.has(membershipId) === true;
        return isHeld ? [{ type: 'ScopeMembershipGivenBack', data: command.membership }] : [];
      }
    }
  },

  records: {
    version: 1,
    of({ byId }) {
      const all: (Scope | HeldMembership)[] = Array.from(byId.values(), ({ record }) => record);
      for (const { memberships } of byId.values())
        for (const membership of memberships.values()) all.push(membership);
      return all;
    },
    into: (state, record) =>
      isMembership(record as Scope | HeldMembership)
        ? putMembership(state, record as HeldMembership, inPlace)
        : putScope(state, record as Scope, inPlace),
  },
};

const putScope = (state: ScopesState, record: Scope, edits: Edits): ScopesState => {
  const { accessScopeId, slug } = record;
  const memberships = state.byId.get(accessScopeId)?.memberships ?? new Map<string, HeldMembership>();
  edits.put(state.byId, accessScopeId, { record, memberships });
  edits.add(state.slugs, slug);
  return state;
};

const putMembership = (state: ScopesState, membership: HeldMembership, edits: Edits): ScopesState => {
  const kept = state.byId.get(membership.accessScopeId);
  if (kept) edits.put(kept.memberships, membership.membershipId, membership);
  return state;
};

const isMembership = (record: Scope | HeldMembership): record is HeldMembership => 'membershipId' in record;

export const scopesTarget = targetOf(scopesStream, scopesDecider);

export const existing = (state: ScopesState, accessScopeId: string): Scope => {
  const kept = state.byId.get(accessScopeId);
  if (kept === undefined) throw new Rejection('scope_not_found', { accessScopeId });
  return kept.record;
};

/** Every membership of a scope. */
export const membershipsIn = (state: ScopesState, accessScopeId: string): readonly HeldMembership[] => [
  ...(state.byId.get(accessScopeId)?.memberships.values() ?? []),
];
