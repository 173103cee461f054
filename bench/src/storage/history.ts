import { randomUUID } from 'node:crypto';
import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import { type AppFields, appsStream } from '@roomwire/shared/domain/app';
import { type DomainEvent, schemaVersions } from '@roomwire/shared/domain/events';
import { type GrantFields, type RoomFields, roomsStream } from '@roomwire/shared/domain/room';
import type { EventLog } from '@roomwire/shared/ports/eventLog';

/** Whom a made-up history belongs to. */
export interface Owner {
  readonly organizationId: string;
  readonly projectId: string;
}

export const someOwner = (): Owner => ({ organizationId: randomUUID(), projectId: randomUUID() });

export interface StreamEvents {
  readonly stream: string;
  readonly events: readonly [NewEvent, ...NewEvent[]];
}

const eventsPerAppend = 500;

/** A project with a few apps and many rooms in each, as appends in the order in which they can be done. */
export function* roomHistory(owner: Owner, apps: number, events: number): Generator<StreamEvents> {
  const appEvents = Array.from({ length: apps }, (_, index) =>
    appCreated(owner, randomUUID(), `app-${index}`),
  );
  yield* inAppends(appsStream(owner.projectId), appEvents);
  const rooms = events - apps;
  for (const [index, { data }] of appEvents.entries()) {
    const { appId } = data as AppFields;
    const share = Math.floor(rooms / apps) + (index < rooms % apps ? 1 : 0);
    const roomEvents = Array.from({ length: share }, (_, room) => roomCreated(owner, appId, room));
    yield* inAppends(roomsStream(appId), roomEvents);
  }
}

/** The rooms of an app that is there already, with a grant on each. */
export function* grantedRooms(owner: Owner, appId: string, rooms: number): Generator<StreamEvents> {
  const events = Array.from({ length: rooms }, (_, index) => {
    const room = roomCreated(owner, appId, index);
    return [room, grantAdded(owner, room.data as RoomFields)];
  });
  yield* inAppends(roomsStream(appId), events.flat());
}

function* inAppends(stream: string, events: readonly NewEvent[]): Generator<StreamEvents> {
  for (let first = 0; first < events.length; first += eventsPerAppend) {
    const [head, ...rest] = events.slice(first, first + eventsPerAppend);
    if (head) yield { stream, events: [head, ...rest] };
  }
}

export const roomCreated = (owner: Owner, appId: string, index: number): NewEvent => {
  const room: RoomFields = {
    roomId: randomUUID(),
    appId,
    projectId: owner.projectId,
    name: `Room ${index}`,
    slug: `room-${index}`,
    description: null,
    topics: ['load'],
    metadata: {},
    origin: 'api',
  };
  return newEvent(owner, { type: 'RoomCreated', data: room });
};

const grantAdded = (owner: Owner, { roomId, appId, projectId }: RoomFields): NewEvent => {
  const grant: GrantFields = {
    roomActorAccessId: randomUUID(),
    appId,
    roomId,
    projectId,
    actorTokenId: null,
    actorType: 'device',
    permission: 'pubSub',
    topics: null,
    expiresAt: null,
    isActive: true,
    role: null,
    metadata: null,
  };
  return newEvent(owner, { type: 'RoomGrantAdded', data: grant });
};

const appCreated = (owner: Owner, appId: string, slug: string): NewEvent => {
  const app: AppFields = {
    appId,
    projectId: owner.projectId,
    name: slug,
    slug,
    description: null,
    blueprintId: null,
    blueprintVersion: null,
    pinnedBlueprintVersion: false,
    config: {},
    topics: ['load'],
    topicConfigs: {},
    hydrationWebhook: null,
    triggerWebhook: null,
    dependencies: null,
    files: null,
    framework: null,
  };
  return newEvent(owner, { type: 'AppCreated', data: app });
};

const newEvent = (owner: Owner, { type, data }: DomainEvent): NewEvent => ({
  id: randomUUID(),
  type,
  schemaVersion: schemaVersions[type],
  data,
  metadata: { ...owner, occurredAt: new Date().toISOString(), principal: 'system', requestId: randomUUID() },
});

/** One append after the other. */
export const fillLog = async (log: EventLog, history: Iterable<StreamEvents>): Promise<void> => {
  const revisions = new Map<string, number>();
  for (const { stream, events } of history) {
    const { revision } = await log.append(stream, revisions.get(stream) ?? 'none', events);
    revisions.set(stream, revision);
  }
};
