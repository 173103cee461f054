import {
  dataTextOf,
  type AppendedEvent,
  type NewEvent,
  type RecordedEvent,
} from '../../domain/eventEnvelope.js';
import type { AppendResult, ExpectedRevision, LogPosition } from '../../ports/eventLog.js';
import type { Database } from 'lmdb';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { setImmediate } from 'node:timers/promises';
import { RevisionConflict } from '../../ports/errors.js';

/** The digits of the largest safe integer. */
const positionDigits = 16;

const positionPattern = new RegExp(`^\\d{${positionDigits}}$`);

export const positionOf = (sequence: number): LogPosition => String(sequence).padStart(positionDigits, '0');

export const isPosition = (text: string): boolean => positionPattern.test(text);

export const sequenceOf = (position: LogPosition): number => {
  if (!isPosition(position)) throw new RangeError(`'${position}' is no position of this event log`);
  return Number(position);
};

/** An event in its stored form. The caller encodes it, so that events that cannot be encoded are rejected early. */
export interface EncodedEvent {
  readonly id: string;
  readonly json: string;
}

export const encodeEvent = (event: AppendedEvent): EncodedEvent => {
  const { id, type, schemaVersion, data, dataText = dataTextOf(data), metadata } = event;
  const rest = JSON.stringify({ id, type, schemaVersion, metadata });
  return { id, json: dataText === '' ? rest : `${rest.slice(0, -1)},"data":${dataText}}` };
};

interface StoredEvent {
  readonly stream: string;
  readonly revision: number;
  readonly event: NewEvent;
}

/** JSON text, because any tool reads it and a `__proto__` key in user data stays an ordinary key. */
const storedText = (stream: string, revision: number, event: EncodedEvent): string =>
  `{"stream":${JSON.stringify(stream)},"revision":${revision},"event":${event.json}}`;

/** Field by field, which is twice as fast as a spread and makes objects of one shape. */
export const recordedEvent = (text: string, sequence: number): RecordedEvent => {
  const { stream, revision, event } = JSON.parse(text) as StoredEvent;
  const { id, type, schemaVersion, data, metadata } = event;
  return { id, type, schemaVersion, data, metadata, stream, revision, position: positionOf(sequence) };
};

/** The layout of the tables; incremented with every change that an older version would misread. */
const dataFormat = 1;

/** The tables of the log, all in one LMDB environment. */
export interface EventTables {
  readonly environment: DurableEnvironment;
  /** Sequence in the whole log, from 1 on, to the stored event. */
  readonly events: Database<string, number>;
  /** Stream and revision to sequence. */
  readonly streams: Database<number, [stream: string, revision: number]>;
  /** Stream to the revision of its last event. */
  readonly heads: Database<number, string>;
}

export const openEventTables = async (path: string): Promise<EventTables> => {
  const environment = openDurableEnvironment(path);
  const { root } = environment;
  try {
    await requireDataFormat(environment, path);
    return {
      environment,
      events: root.openDB('events', { encoding: 'string' }),
      streams: root.openDB('streams', { encoding: 'ordered-binary' }),
      heads: root.openDB('heads', { encoding: 'ordered-binary' }),
    };
  } catch (error) {
    await environment.close();
    throw error;
  }
};

const requireDataFormat = async (environment: DurableEnvironment, path: string): Promise<void> => {
  const meta = environment.root.openDB<number, string>('meta', { encoding: 'ordered-binary' });
  const found = meta.get('dataFormat');
  if (found === undefined) await environment.transact(() => meta.putSync('dataFormat', dataFormat));
  else if (found !== dataFormat) {
    throw new Error(
      `The event log ${path} has data format ${found}; this program knows format ${dataFormat}`,
    );
  }
};

/** 0 for an empty log. */
export const lastSequence = ({ events }: EventTables): number => {
  for (const sequence of events.getKeys({ reverse: true, limit: 1 })) return sequence;
  return 0;
};

/** Undefined for an empty log. */
export const firstEvent = ({ events }: Pick<EventTables, 'events'>): RecordedEvent | undefined => {
  for (const { key, value } of events.getRange({ limit: 1 })) return recordedEvent(value, key);
  return undefined;
};

export const readAtSequence = (
  { events }: Pick<EventTables, 'events'>,
  sequence: number,
): RecordedEvent | undefined => {
  const text = events.get(sequence);
  return text === undefined ? undefined : recordedEvent(text, sequence);
};

export type EventBatch = readonly RecordedEvent[];

/** A batch ends with whichever comes first, so that neither many events nor large ones hold up the event loop. */
const batchEvents = 500;
const batchCharacters = 512 * 1024;

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

/** The last event of a stream that is not after a sequence. */
export const readLastOf = (
  { events, streams, heads }: EventTables,
  stream: string,
  last: number,
): RecordedEvent | undefined => {
  // Usually the first one: an append that is being written may have moved the head already.
  for (let revision = heads.get(stream) ?? -1; revision >= 0; revision -= 1) {
    const sequence = streams.get([stream, revision]);
    const text = sequence === undefined || sequence > last ? undefined : events.get(sequence);
    if (text !== undefined && sequence !== undefined) return recordedEvent(text, sequence);
  }
  return undefined;
};

/**
 * All batches in order. Each is read in a transaction of its own: one that stays open would keep LMDB from reusing pages. The
 * event loop gets a turn in between, so that a long read does not block it.
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

export interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EncodedEvent[];
}

export type AppendOutcome = AppendResult | RevisionConflict;

/** Must run in a write transaction: each append sees those before it, and a conflicting one writes nothing. */
export const writeAppends = (tables: EventTables, appends: readonly Append[]): AppendOutcome[] => {
  let sequence = lastSequence(tables);
  return appends.map((append) => {
    if (!meetsExpectation(append, tables.heads.get(append.stream))) {
      return repeatedResult(tables, append) ?? new RevisionConflict(append.stream);
    }
    const result = write(tables, append, sequence);
    sequence += append.events.length;
    return result;
  });
};

const meetsExpectation = ({ expected }: Append, head: number | undefined): boolean =>
  expected === 'none' ? head === undefined : head === expected;

const firstRevision = ({ expected }: Append): number => (expected === 'none' ? 0 : expected + 1);

const write = (tables: EventTables, append: Append, last: number): AppendResult => {
  const { stream, events } = append;
  let revision = firstRevision(append) - 1;
  let sequence = last;
  for (const event of events) {
    revision += 1;
    sequence += 1;
    tables.events.putSync(sequence, storedText(stream, revision, event));
    tables.streams.putSync([stream, revision], sequence);
  }
  tables.heads.putSync(stream, revision);
  return { revision, position: positionOf(sequence) };
};

/** The earlier result of the same append, where its events are already at these revisions. */
const repeatedResult = (tables: EventTables, append: Append): AppendResult | undefined => {
  const first = firstRevision(append);
  const sequences = append.events.map((_, index) => tables.streams.get([append.stream, first + index]));
  const last = sequences.at(-1);
  if (last === undefined) return undefined;
  const same = append.events.every((event, index) => storedId(tables, sequences[index]) === event.id);
  return same ? { revision: first + append.events.length - 1, position: positionOf(last) } : undefined;
};

const storedId = (tables: EventTables, sequence: number | undefined): string | undefined =>
  sequence === undefined ? undefined : readAtSequence(tables, sequence)?.id;
