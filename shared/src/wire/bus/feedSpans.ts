import { count, described, object, text, type TypeOf } from '../schema.js';
import type { Channel } from './channel.js';
import { versionedRecord } from './recordCodec.js';

const feedSpan = object({
  viewsVersion: described('Of the read models that hold the events', count),
  after: described('Position in the log behind which it begins; empty for the beginning of the log', text),
  upTo: described('Position where it ends; as `after` where there was nothing new', text),
  events: described('How many events of `domain-events` lie between the two', count),
});

/** How many events a stretch of the log has put on `domain-events`: a reader that has received as many has missed none. */
export type FeedSpan = TypeOf<typeof feedSpan>;

export const feedSpanRecord = versionedRecord('a span of the feed', 1, feedSpan);

/** From the projector: a span for each batch, and one without events every two seconds in which there is nothing to do. */
export const feedSpans: Channel<FeedSpan> = {
  name: 'domain-event-spans',
  key: ({ viewsVersion }) => String(viewsVersion),
  codec: feedSpanRecord.codec,
};

/** How often the projector says that it has nothing to do. */
export const quietSpanMs = 2_000;
