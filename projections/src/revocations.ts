import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventType } from '@roomwire/shared/domain/events';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';

/** The events that may take a right away; those of changes where one of these fields has changed. */
const revoking: { readonly [T in EventType]?: 'always' | readonly string[] } = {
  OrganizationUpdated: ['status'],
  ProjectDeleted: 'always',
  ApiKeyRevoked: 'always',
  SessionRevoked: 'always',
  TokensRevoked: 'always',
  AppUpdated: ['status', 'slug', 'topics', 'config'],
  AppDeleted: 'always',
  RoomUpdated: ['status', 'topics'],
  RoomDeleted: 'always',
  // The first one makes a room private.
  RoomGrantAdded: 'always',
  RoomGrantRevoked: 'always',
  ScopeUpdated: ['isActive'],
  ScopeDeleted: 'always',
  ActorUpdated: ['status', 'expiresAt', 'accessScopeId'],
  ActorDeleted: 'always',
  SigningKeyUpdated: ['status', 'allowExternalActors'],
  SigningKeyDeleted: 'always',
};

export const mayRevoke = ({ type, data }: RecordedEvent): boolean => {
  const row = revoking[type as EventType];
  if (row === undefined || row === 'always') return row === 'always';
  const { changes } = data as { readonly changes?: object };
  return changes !== undefined && row.some((field) => field in changes);
};

/** Of one project more than these do not go ahead at once: it may revoke as much as it likes. */
const mostOfKey = 100;

/**
 * Those of the waiting events that go ahead of the others: revocations, and what their project has in front of them, so that its order
 * holds. `isFree`: whether nothing of the project is being written or fed. All documents that an event changes are its project's.
 */
export const goingAhead = (
  waiting: readonly RecordedEvent[],
  isFree: (key: string) => boolean,
): readonly RecordedEvent[] => {
  const lanes = new Map<string, { readonly events: RecordedEvent[]; going: number }>();
  for (const event of waiting) {
    const key = domainEventFeed.key(event);
    if (!isFree(key)) continue;
    const lane = lanes.get(key) ?? { events: [], going: 0 };
    lanes.set(key, lane);
    if (lane.events.length === mostOfKey) continue;
    lane.events.push(event);
    if (mayRevoke(event)) lane.going = lane.events.length;
  }
  return [...lanes.values()].flatMap(({ events, going }) => events.slice(0, going));
};
