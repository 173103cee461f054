import type { HappenedEvent } from './eventEnvelope.js';

/** Narrower than the grammar of other slugs: a scope's has two characters at least. */
export const scopeSlugPattern = /^[a-z0-9][a-z0-9-]*[a-z0-9]$/;

export interface ScopeFields {
  readonly accessScopeId: string;
  readonly projectId: string;
  /** The topic segment that its actors' addresses get. */
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface Scope extends ScopeFields {
  /** An inactive scope denies its actors; they are not unscoped. */
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type ScopeChanges = Partial<Pick<Scope, 'name' | 'description' | 'metadata' | 'isActive'>>;

/**
 * An actor's membership of a scope. It is taken before the actor moves in and given back after it has left, so that a
 * scope without members has no actor. Each membership has its own id, so that releasing one never removes another.
 */
export interface ScopeMembership {
  readonly membershipId: string;
  readonly accessScopeId: string;
  readonly actorTokenId: string;
}

export type ScopeEvent =
  | { readonly type: 'ScopeCreated'; readonly data: ScopeFields }
  | {
      readonly type: 'ScopeUpdated';
      readonly data: { readonly accessScopeId: string; readonly changes: ScopeChanges };
    }
  | { readonly type: 'ScopeDeleted'; readonly data: { readonly accessScopeId: string } }
  | { readonly type: 'ScopeMembershipTaken'; readonly data: ScopeMembership }
  | { readonly type: 'ScopeMembershipGivenBack'; readonly data: ScopeMembership };

/** All scopes of a project share a stream: their slugs are unique, and who is in them decides what may be deleted. */
export const scopesStream = (projectId: string): string => `scopes-${projectId}`;

export const createdScope = (fields: ScopeFields, at: string): Scope => ({
  ...fields,
  isActive: true,
  createdAt: at,
  updatedAt: at,
});

/** Who is in a scope does not show in its record. */
export const evolveScope = (
  scope: Scope | undefined,
  event: HappenedEvent<ScopeEvent>,
): Scope | undefined => {
  switch (event.type) {
    case 'ScopeCreated':
      return createdScope(event.data, event.occurredAt);
    case 'ScopeUpdated':
      return scope && { ...scope, ...event.data.changes, updatedAt: event.occurredAt };
    case 'ScopeDeleted':
      return undefined;
    case 'ScopeMembershipTaken':
    case 'ScopeMembershipGivenBack':
      return scope;
  }
};
