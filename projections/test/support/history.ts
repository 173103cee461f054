import fc from 'fast-check';
import type { NewEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { schemaVersions, type DomainEvent } from '@roomwire/shared/domain/events';

export interface Step {
  readonly stream: string;
  readonly event: DomainEvent;
}

const ids = ['1', '2', '3'];
const id = fc.constantFrom(...ids);
const name = fc.string({ maxLength: 5 });

const roomStep = fc.record({ appId: id, roomId: id, name }).chain(({ appId, roomId, name }) => {
  const room = { roomId: `${appId}-${roomId}`, appId };
  const fields = {
    ...room,
    projectId: 'p',
    name,
    slug: room.roomId,
    description: null,
    topics: ['a'],
    metadata: { name },
    origin: 'api',
  } as const;
  return fc.constantFrom<DomainEvent>(
    { type: 'RoomCreated', data: fields },
    { type: 'RoomUpdated', data: { ...room, changes: { name, topics: [name] } } },
    { type: 'RoomUpdated', data: { ...room, changes: { status: 'disabled' } } },
    { type: 'RoomDeleted', data: room },
  );
});

const actorStep = fc.record({ actorTokenId: id, name }).chain(({ actorTokenId, name }) => {
  const fields = {
    actorTokenId,
    projectId: 'p',
    accessScopeId: null,
    scopeMembershipId: null,
    keyId: `at_live_${actorTokenId}`,
    name,
    actorType: 'user',
    expiresAt: null,
    metadata: null,
    secretHash: '00',
  } as const;
  return fc.constantFrom<DomainEvent>(
    { type: 'ActorCreated', data: fields },
    { type: 'ActorUpdated', data: { actorTokenId, changes: { name } } },
    { type: 'ActorDeleted', data: { actorTokenId } },
  );
});

/** Any events about a few rooms and actors, in any order: projectors must not care whether it makes sense. */
export const histories = fc.array(fc.oneof(roomStep, actorStep), { minLength: 1, maxLength: 60 });

export const newEvent = (event: DomainEvent, index: number): NewEvent => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  schemaVersion: schemaVersions[event.type],
  ...event,
  metadata: {
    occurredAt: new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString(),
    organizationId: 'o',
    projectId: 'p',
    principal: 'system',
    requestId: 'r',
  },
});

/** The position of the event with a number. */
export const positionOf = (index: number): string => String(index).padStart(16, '0');

/** An event as a log returns it. */
export const recordedEvent = (event: DomainEvent, index: number): RecordedEvent => ({
  ...newEvent(event, index),
  ...{ stream: 's', revision: index, position: positionOf(index) },
});
