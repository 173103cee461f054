import { count, described, object, orNull, text, type TypeOf } from '../schema.js';
import type { Channel } from './channel.js';
import { versionedRecord } from './recordCodec.js';

const eventEnd = object({
  roomId: text,
  accessScopeId: orNull(text),
  sequence: described('Up to this one the events of the room were delivered, or are dead letters', count),
});

/** How far the webhook of a room has its events. It is stored before it is told: whoever has missed it reads it there. */
export type EventEnd = TypeOf<typeof eventEnd>;

export const eventEndRecord = versionedRecord('the end of an event', 1, eventEnd);

/** From the consumers of webhooks to the gateways, of which one waits for it. */
export const eventEnds: Channel<EventEnd> = {
  name: 'webhook-event-ends',
  key: ({ roomId, accessScopeId }) => `${roomId}/${accessScopeId ?? '_'}`,
  codec: eventEndRecord.codec,
};
