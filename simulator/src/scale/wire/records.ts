import { Buffer } from 'node:buffer';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { GroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import { processKey, shardKey, type JobNews } from '@roomwire/shared/wire/bus/jobNews';
import type { LiveMessage, RetainedMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { behaviour } from '../model/load.js';
import {
  actorId,
  gatewayIdOf,
  idOf,
  organizationId,
  projectId,
  roomName,
  topicName,
} from '../model/estate.js';

/** As long as those of gateways are. */
const messageId = 'mi8k2x0a10003.kQ0mZr7Tn1vXy4bA.x1Yz0q';
const body = Buffer.alloc(behaviour.payloadBytes, 'm');

/** Where something is published. */
export interface Place {
  readonly project: number;
  readonly room: number;
  readonly topic: number;
}

export const messageAt = ({ project, room, topic }: Place): LiveMessage => ({
  id: messageId,
  room: roomName(project, room),
  topic: topicName(project, room, topic),
  projectId: projectId(project),
  publisher: actorId(project),
  qos: 1,
  filters: [],
  body,
  retention: undefined,
});

export const retainedAt = (place: Place): RetainedMessage => ({
  ...messageAt(place),
  retention: {
    stamp: `mi8k2x0a1${gatewayIdOf(0)}`,
    appId: idOf('5', place.project),
    roomId: idOf('6', place.room),
    accessScopeId: null,
  },
});

/** What a worker group says of each message: who gets it, and that it is done. */
export const groupCommandsAt = (place: Place): readonly GroupRecord[] => {
  const { room, topic } = messageAt(place);
  const sender = { room, topic, group: 'workers', gatewayId: gatewayIdOf(0), ref: 1_000 };
  return [
    { ...sender, kind: 'assign', assignments: [[messageId, gatewayIdOf(1), 7]] },
    { ...sender, kind: 'done', ids: [messageId] },
  ];
};

const term = 12;
const sentBy = (gateway: number): [string, number] => [gatewayIdOf(gateway), 100_000];

/** A job on its way to a member, and what that says when it is done. */
export const jobTo = (gateway: number, shard: number): JobNews => ({
  ...{ kind: 'jobs', sent: sentBy(0), to: processKey(gatewayIdOf(gateway)), shard, term, member: 7 },
  jobs: [[4_711, 1, Buffer.alloc(behaviour.payloadBytes + 150)]],
});

export const jobDone = (gateway: number, shard: number): JobNews => ({
  ...{ kind: 'settle', sent: sentBy(gateway), to: shardKey(shard), from: gatewayIdOf(gateway), term },
  ...{ groupId: idOf('7', shard), seqs: [4_711] },
});

const positionDigits = 16;

/** What the control plane says: the status of an actor has changed, or the grants of a room. */
export const changeOf = (
  kind: 'actor' | 'room',
  number: number,
  project: number,
  connection: number,
): RecordedEvent => ({
  id: idOf('8', number),
  ...(kind === 'actor'
    ? {
        type: 'ActorUpdated',
        data: { actorTokenId: actorId(connection), changes: { status: 'active' } },
        stream: `actor-${actorId(connection)}`,
      }
    : {
        type: 'RoomGrantRevoked',
        data: { roomActorAccessId: idOf('9', number), roomId: idOf('6', project), appId: idOf('5', project) },
        stream: `rooms-${idOf('5', project)}`,
      }),
  schemaVersion: 1,
  revision: 3,
  position: positionOf(number),
  metadata: {
    occurredAt: '2026-01-01T00:00:00.000Z',
    organizationId: organizationId(project),
    projectId: projectId(project),
    principal: `apiKey:${idOf('a', project)}`,
    requestId: idOf('b', number),
  },
});

export const positionOf = (number: number): string => String(number).padStart(positionDigits, '0');
