import { createdScope, type ScopeEvent } from '@roomwire/shared/domain/scopes/scope';
import type { Projector } from './projector.js';

export const scopes: Projector<ScopeEvent> = {
  ScopeCreated: (data, { occurredAt, position }) => [
    {
      put: 'scopes',
      id: data.accessScopeId,
      doc: { ...createdScope(data, occurredAt), createdPosition: position },
    },
  ],
  ScopeUpdated: ({ accessScopeId, changes }, { occurredAt }) => [
    { patch: 'scopes', id: accessScopeId, set: { ...changes, updatedAt: occurredAt } },
  ],
  ScopeDeleted: ({ accessScopeId }) => [{ remove: 'scopes', id: accessScopeId }],
  // Which scope an actor is in, its own record says.
  ScopeMembershipTaken: () => [],
  ScopeMembershipGivenBack: () => [],
};
