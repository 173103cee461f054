import { randomUUID } from 'node:crypto';
import { EventFile } from './eventFile.js';
import type { ProposedEvent, StoredEvent } from './responses.js';

export type ExpectedRevision = number | 'none' | 'any' | 'exists';

export interface Proposal {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly ProposedEvent[];
}

export type AppendOutcome =
  | { readonly appended: { readonly revision: number; readonly position: bigint } }
  /** The stream's last revision, undefined when there is no such stream. */
  | { readonly conflict: number | undefined };

/** Where the first event of a new log stands; the real one has a few records of its own before it. */
const firstPosition = 1_437n;

/** About what a record takes in the log of the real one, so that positions have gaps like there. */
const sizeOf = (stream: string, { type, data, metadata }: ProposedEvent): bigint =>
  BigInt(93 + 2 * (stream.length + type.length) + data.length + metadata.length);

const ticksPerMillisecond = 10_000n;

/** All events in order, those of each stream, and the rules of appending. Readers see what is on disk. */
export class TransactionLog {
  private readonly file: EventFile;
  private readonly events: StoredEvent[] = [];
  private readonly streams = new Map<string, StoredEvent[]>();
  private readonly byId = new Map<string, StoredEvent>();
  private waiting: (() => void)[] = [];
  private nextPosition = firstPosition;
  private visible = 0;

  private constructor(file: EventFile) {
    this.file = file;
  }

  static async open(path: string): Promise<TransactionLog> {
    const { file, appends } = await EventFile.open(path);
    const log = new TransactionLog(file);
    for (const events of appends) log.take(events);
    log.visible = log.events.length;
    return log;
  }

  /** How many events there are to read. */
  get length(): number {
    return this.visible;
  }

  at(index: number): StoredEvent | undefined {
    return index < this.visible ? this.events[index] : undefined;
  }

  /** The index of the first event at the position or behind it. */
  indexOf(position: bigint): number {
    let [low, high] = [0, this.visible];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.events[middle]!.position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The readable events of a stream, undefined for one that is not there. */
  stream(name: string): readonly StoredEvent[] | undefined {
    const events = this.streams.get(name) ?? [];
    const last = this.at(this.visible - 1);
    let count = events.length;
    while (count > 0 && (!last || events[count - 1]!.position > last.position)) count -= 1;
    return count > 0 ? events.slice(0, count) : undefined;
  }

  /** Resolves when there is more to read. */
  growth(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  async append(proposal: Proposal): Promise<AppendOutcome> {
    const { stream, expected, events } = proposal;
    const current = this.streams.get(stream)?.at(-1)?.revision;
    const repeated = this.repeated(proposal, current);
    if (repeated) {
      await this.file.flushed();
      return { appended: repeated };
    }
    if (!meets(expected, current)) return { conflict: current };
    const stored = this.placed(stream, (current ?? -1) + 1, events);
    const last = stored.at(-1);
    if (last === undefined) return { conflict: current };
    this.take(stored);
    const visible = this.events.length;
    await this.file.write(stored);
    this.visible = Math.max(this.visible, visible);
    this.wake();
    return { appended: last };
  }

  /** The event that the same append ended with before, when its events stand where it would put them. */
  private repeated({ stream, expected, events }: Proposal, current = -1): StoredEvent | undefined {
    if (typeof expected === 'string' && expected !== 'none') {
      const known = events.map(({ id }) => this.byId.get(id));
      return known.every((event) => event?.stream === stream) ? known.at(-1) : undefined;
    }
    const first = expected === 'none' ? 0 : expected + 1;
    if (first > current) return undefined;
    const standing = this.streams.get(stream)?.slice(first, first + events.length) ?? [];
    return events.every(({ id }, index) => standing[index]?.id === id) ? standing.at(-1) : undefined;
  }

  private placed(stream: string, revision: number, events: readonly ProposedEvent[]): StoredEvent[] {
    const created = String(BigInt(Date.now()) * ticksPerMillisecond);
    let next = this.nextPosition;
    return events.map((event, index) => {
      const position = next;
      next += sizeOf(stream, event);
      return { ...event, stream, revision: revision + index, position, created };
    });
  }

  private take(events: readonly StoredEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.byId.set(event.id, event);
      const stream = this.streams.get(event.stream);
      if (stream) stream.push(event);
      else this.streams.set(event.stream, [event]);
      this.nextPosition = event.position + sizeOf(event.stream, event);
    }
  }

  private wake(): void {
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) wake();
  }
}

const meets = (expected: ExpectedRevision, current: number | undefined): boolean => {
  if (expected === 'any') return true;
  if (expected === 'none') return current === undefined;
  return expected === 'exists' ? current !== undefined : current === expected;
};

const systemEvent = (type: string) => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: Buffer.alloc(0),
});

/** A new server has some, and more with access control; not all of their types begin with a `$`. */
export const writeFirstSystemEvents = async (log: TransactionLog): Promise<void> => {
  if (log.length > 0) return;
  for (const [stream, type] of [
    ['$$$scavenges', '$metadata'],
    ['$settings', 'update'],
    ['$user-admin', '$User'],
    ['$users', '$UserCreated'],
  ] as const) {
    await log.append({ stream, expected: 'none', events: [systemEvent(type)] });
  }
};

/** What a server writes about itself every half minute. */
export const writeStatistics = async (log: TransactionLog, count: number): Promise<void> => {
  const events = Array.from({ length: count }, () => systemEvent('$statsCollected'));
  await log.append({ stream: '$stats-127.0.0.1', expected: 'any', events });
};
