import type { HappenedEvent } from './eventEnvelope.js';

export const actorTypes = [
  'device',
  'user',
  'service',
  'session',
  'agent',
  'orchestrator',
  'observer',
] as const;
export type ActorType = (typeof actorTypes)[number];

export const actorStatuses = ['active', 'disabled'] as const;
export type ActorStatus = (typeof actorStatuses)[number];

export interface ActorFields {
  readonly actorTokenId: string;
  readonly projectId: string;
  readonly accessScopeId: string | null;
  /** Its scope membership, see `ScopeMembership`; null without a scope. */
  readonly scopeMembershipId: string | null;
  /** Public, `at_live_<id>`. */
  readonly keyId: string;
  readonly name: string;
  readonly actorType: ActorType;
  readonly expiresAt: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** SHA-256 of the access token's secret, hex. */
  readonly secretHash: string;
}

export interface Actor extends ActorFields {
  readonly status: ActorStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type ActorChanges = Partial<
  Pick<Actor, 'name' | 'status' | 'expiresAt' | 'metadata' | 'accessScopeId' | 'scopeMembershipId'>
>;

export type ActorEvent =
  | { readonly type: 'ActorCreated'; readonly data: ActorFields }
  | {
      readonly type: 'ActorUpdated';
      readonly data: { readonly actorTokenId: string; readonly changes: ActorChanges };
    }
  | { readonly type: 'ActorDeleted'; readonly data: { readonly actorTokenId: string } };

export const actorStream = (actorTokenId: string): string => `actor-${actorTokenId}`;

export const createdActor = (fields: ActorFields, at: string): Actor => ({
  ...fields,
  status: 'active',
  createdAt: at,
  updatedAt: at,
});

export const evolveActor = (
  actor: Actor | undefined,
  event: HappenedEvent<ActorEvent>,
): Actor | undefined => {
  switch (event.type) {
    case 'ActorCreated':
      return createdActor(event.data, event.occurredAt);
    case 'ActorUpdated':
      return actor && { ...actor, ...event.data.changes, updatedAt: event.occurredAt };
    case 'ActorDeleted':
      return undefined;
  }
};
