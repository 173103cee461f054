import { count, described, object, oneOf, text, type TypeOf } from '../schema.js';
import type { Channel } from './channel.js';
import { versionedRecord } from './recordCodec.js';

const eventEnd = object({
  /** Internal. */
  shard: described('The shard of rooms whose owner waits for it', count),
  callId: described('`webhook-id` of the call', text),
  /** `dead`: it is a dead letter now. */
  end: oneOf('delivered', 'dead'),
});

/** How the call of a room event has ended. It may be lost with its sender, which repeats the call, and then this. */
export type EventEnd = TypeOf<typeof eventEnd>;

export const eventEndRecord = versionedRecord('the end of an event', 1, eventEnd);

/** The key of a shard, for its owner to subscribe to. */
export const eventEndKey = (shard: number): string => `shard-${shard}`;

export const eventEnds: Channel<EventEnd> = {
  name: 'webhook-event-ends',
  key: ({ shard }) => eventEndKey(shard),
  codec: eventEndRecord.codec,
};
