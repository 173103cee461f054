import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog } from '@roomwire/shared/ports/eventLog';

const shown = ({ metadata: { proof: _, ...metadata }, ...event }: RecordedEvent): RecordedEvent => ({
  ...event,
  metadata,
});

async function* shownBatches(
  batches: AsyncIterable<readonly RecordedEvent[]>,
): AsyncIterable<readonly RecordedEvent[]> {
  for await (const batch of batches) yield batch.map(shown);
}

/** A log that shows its events without their proofs, as they were appended. */
export const withoutProofs = (log: EventLog): EventLog => ({
  append: (...args) => log.append(...args),
  readStream: (...args) => shownBatches(log.readStream(...args)),
  readLast: async (stream) => {
    const event = await log.readLast(stream);
    return event && shown(event);
  },
  readAll: (...args) => shownBatches(log.readAll(...args)),
  subscribeAll: (after, subscriber) =>
    log.subscribeAll(after, {
      onEvents: (events) => subscriber.onEvents(events.map(shown)),
      onCaughtUp: () => subscriber.onCaughtUp?.(),
    }),
  head: () => log.head(),
  identity: () => log.identity(),
  readAt: async (position) => {
    const event = await log.readAt(position);
    return event && shown(event);
  },
  close: () => log.close(),
});
