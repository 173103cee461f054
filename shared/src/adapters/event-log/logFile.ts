import { open, type Database, type RootDatabase } from 'lmdb';
import type { NewEvent, RecordedEvent } from '../../domain/eventEnvelope.js';
import type { LogPosition } from '../../ports/eventLog.js';

/** Raise it when the layout of the file changes. */
const format = 1;

const positionDigits = 16;

export const positionOf = (sequence: number): LogPosition => String(sequence).padStart(positionDigits, '0');
export const sequenceOf = (position: LogPosition): number => Number(position);

/**
 * The file of an embedded event log. Events by their number in the whole log, from 1; for each stream its events'
 * numbers by revision, and its last revision. An event is kept as JSON, as it is given to every engine.
 */
export class LogFile {
  readonly #root: RootDatabase<string, string>;
  readonly #events: Database<string, number>;
  readonly #streams: Database<number, [stream: string, revision: number]>;
  readonly #heads: Database<number, string>;

  constructor(path: string) {
    this.#root = open({ path, noSubdir: true, encoding: 'string' });
    this.#assertFormat(path);
    this.#events = this.#root.openDB({ name: 'events', encoding: 'string', keyEncoding: 'uint32' });
    this.#streams = this.#root.openDB({ name: 'streams', encoding: 'ordered-binary' });
    this.#heads = this.#root.openDB({ name: 'heads', encoding: 'ordered-binary' });
  }

  /** Number of the last event, 0 for an empty log. */
  get lastSequence(): number {
    const [last] = this.#events.getKeys({ reverse: true, limit: 1 });
    return last ?? 0;
  }

  /** The last revision of a stream, -1 for a new one. Within `write` with what was written so far. */
  lastRevision(stream: string): number {
    return this.#heads.get(stream) ?? -1;
  }

  /** Runs `work` as one transaction. Resolves when it is on disk. */
  async write(work: () => void): Promise<void> {
    await this.#root.transaction(work);
    // A transaction is visible before it has been synced; only then does it survive a power cut.
    await this.#root.flushed;
  }

  /** Only within `write`. */
  put(stream: string, revision: number, sequence: number, event: NewEvent): void {
    void this.#events.put(sequence, JSON.stringify({ ...event, stream, revision }));
    void this.#streams.put([stream, revision], sequence);
    void this.#heads.put(stream, revision);
  }

  /** Up to `limit` events after a number and up to another one, both of the whole log. */
  readAll(afterSequence: number, toSequence: number, limit: number): RecordedEvent[] {
    const range = { start: afterSequence + 1, end: toSequence + 1, limit };
    return Array.from(this.#events.getRange(range), ({ key, value }) => recorded(key, value));
  }

  /** Up to `limit` events of a stream from a revision on, none behind a number of the whole log. */
  readStream(stream: string, fromRevision: number, toSequence: number, limit: number): RecordedEvent[] {
    const range = { start: [stream, fromRevision], end: [stream, Number.MAX_SAFE_INTEGER], limit } as const;
    const events: RecordedEvent[] = [];
    for (const { value: sequence } of this.#streams.getRange({ ...range, start: [...range.start], end: [...range.end] })) {
      const text = sequence <= toSequence ? this.#events.get(sequence) : undefined;
      if (text === undefined) break;
      events.push(recorded(sequence, text));
    }
    return events;
  }

  close(): Promise<void> {
    return this.#root.close();
  }

  #assertFormat(path: string): void {
    const found = this.#root.get('format');
    if (found === undefined) this.#root.putSync('format', String(format));
    else if (found !== String(format))
      throw new Error(`The event log ${path} has format ${found}; this version reads format ${format}`);
  }
}

const recorded = (sequence: number, text: string): RecordedEvent =>
  Object.assign(JSON.parse(text) as RecordedEvent, { position: positionOf(sequence) });
