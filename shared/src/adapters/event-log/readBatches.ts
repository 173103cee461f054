import { setImmediate } from 'node:timers/promises';
import type { RecordedEvent } from '../../domain/eventEnvelope.js';
import { recordedEvent } from './eventCodec.js';
import type { EventTables } from './eventTables.js';

export type EventBatch = readonly RecordedEvent[];

/** A batch ends with whichever comes first, so that neither many events nor large ones hold up the event loop. */
const batchEvents = 500;
const batchCharacters = 4 * 1024 * 1024;

/** The events after one sequence up to another; at most a batch of them. */
export const readAfter = ({ events }: EventTables, after: number, last: number): EventBatch => {
  const batch: RecordedEvent[] = [];
  let characters = 0;
  for (const { key, value } of events.getRange({ start: after + 1, end: last + 1, limit: batchEvents })) {
    batch.push(recordedEvent(value, key));
    characters += value.length;
    if (characters >= batchCharacters) break;
  }
  return batch;
};

/** The events of a stream from a revision on, none of them after a sequence; at most a batch of them. */
export const readStreamFrom = (
  { events, streams }: EventTables,
  stream: string,
  from: number,
  last: number,
): EventBatch => {
  const batch: RecordedEvent[] = [];
  let characters = 0;
  const range = streams.getRange({ start: [stream, from], end: [stream, from + batchEvents] });
  for (const { value: sequence } of range) {
    const text = sequence > last ? undefined : events.get(sequence);
    if (text === undefined || characters >= batchCharacters) break;
    batch.push(recordedEvent(text, sequence));
    characters += text.length;
  }
  return batch;
};

/**
 * One batch after the other until there is none. Each is read by itself: a read transaction held open between two would
 * keep LMDB from reusing pages. The event loop has a turn between two, so that a long read holds up nobody.
 */
export async function* inBatches(
  read: (last: RecordedEvent | undefined) => EventBatch,
): AsyncIterable<EventBatch> {
  let batch = read(undefined);
  while (batch.length > 0) {
    yield batch;
    batch = read(batch.at(-1));
    if (batch.length > 0) await setImmediate();
  }
}
