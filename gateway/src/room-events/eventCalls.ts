import { Buffer } from 'node:buffer';
import { Encoder } from '@msgpack/msgpack';
import type { EventWebhook } from '@roomwire/shared/domain/roomEvents';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import type { RoomPlace } from './places.js';
import { bytesOf, type WaitingEvent } from './roll.js';

/** Events of one job, which is repeated as a whole where its consumer is killed. */
export const longestRun = 100;
const longestRunBytes = 256 * 1024;

const encoder = new Encoder();

/** [HOOK-EVENT-4] The body of a call, MessagePack. A presence is in it as its client sent it. */
export const eventBody = (
  { appId, roomId, roomSlug, room, scope }: RoomPlace,
  { id, event, actorTokenId, presence, at, sequence }: WaitingEvent,
  bodyVersion = 1,
): Uint8Array => {
  const [, appSlug] = room.split('/');
  const more = bodyVersion === 2 ? { appSlug, topic: null, id, position: null } : {};
  const before = { appId, roomId, roomSlug, scope, event, actorTokenId };
  const after = { at: new Date(at).toISOString(), sequence, ...more };
  return Buffer.concat([
    Uint8Array.of(smallMap + Object.keys({ ...before, ...after }).length + 1),
    entriesOf(before),
    encoder.encode('presence'),
    presence ?? encoder.encode(null),
    entriesOf(after),
  ]);
};

const smallMap = 0x80;

/** Of a small map, without its head. */
const entriesOf = (map: object): Uint8Array => encoder.encode(map).subarray(1);

/** The first events, as one job: each is called for once the one before has ended. */
export const eventRun = (events: readonly WaitingEvent[]): readonly WaitingEvent[] => {
  let bytes = 0;
  const end = events.findIndex((event) => (bytes += bytesOf(event)) > longestRunBytes);
  return events.slice(0, Math.min(longestRun, end === -1 ? longestRun : Math.max(1, end)));
};

export const eventCall = (
  place: RoomPlace,
  { url, headers = {}, retrySeconds = 0, bodyVersion }: EventWebhook,
  [first, ...following]: readonly [WaitingEvent, ...WaitingEvent[]],
): WebhookCall => ({
  callId: first.id,
  kind: 'event',
  ...{ organizationId: place.organizationId, projectId: place.projectId, appId: place.appId },
  ...{ url, headers: Object.entries(headers), room: place.room },
  ...(retrySeconds > 0 && { retrySeconds }),
  ...{ roomName: place.roomSlug, roomId: place.roomId, topicName: '', actorId: '', scope: place.scope },
  ...{
    data: eventBody(place, first, bodyVersion),
    sequence: first.sequence,
    origin: { by: 'roomEvent' },
    attempts: 0,
  },
  ...(following.length > 0 && {
    following: following.map((event) => ({
      callId: event.id,
      sequence: event.sequence,
      data: eventBody(place, event, bodyVersion),
    })),
  }),
});
