import type { AppendedEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { RevisionConflict } from '@roomwire/shared/ports/errors';
import type {
  AppendResult,
  EventLog,
  ExpectedRevision,
  LogPosition,
  LogSubscriber,
  LogSubscription,
} from '@roomwire/shared/ports/eventLog';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { Network } from './network.js';

const positionOf = (sequence: number): LogPosition => String(sequence).padStart(16, '0');
const sequenceOf = (position: LogPosition | undefined): number => Number(position ?? 0);

/** As JSON preserves it, and a copy of its own for each reader. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The server of the event log: what it holds survives every process. */
export class SimulatedLog {
  readonly events: RecordedEvent[] = [];
  private readonly streams = new Map<string, RecordedEvent[]>();
  private waiting: (() => void)[] = [];

  append(stream: string, expected: ExpectedRevision, events: readonly AppendedEvent[]): AppendResult {
    const before = this.streams.get(stream) ?? [];
    const revision = expected === 'none' ? 0 : expected + 1;
    if (revision !== before.length) return this.sameBefore(stream, before, revision, events);
    this.streams.set(stream, before);
    for (const event of events) {
      const position = positionOf(this.events.length + 1);
      const { id, type, schemaVersion, data, metadata } = event;
      const place = { stream, revision: before.length, position };
      const recorded = stored({ id, type, schemaVersion, data, metadata, ...place });
      before.push(recorded);
      this.events.push(recorded);
    }
    for (const wake of this.waiting.splice(0)) wake();
    return resultOf(before.at(-1));
  }

  stream(name: string): readonly RecordedEvent[] {
    return this.streams.get(name) ?? [];
  }

  /** Resolves when the log may have grown. */
  growth(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private sameBefore(
    stream: string,
    before: readonly RecordedEvent[],
    revision: number,
    events: readonly AppendedEvent[],
  ): AppendResult {
    const there = before.slice(revision, revision + events.length);
    const isSame = there.length === events.length && there.every(({ id }, n) => id === events[n]?.id);
    if (!isSame) throw new RevisionConflict(stream);
    return resultOf(there.at(-1));
  }
}

const resultOf = (last: RecordedEvent | undefined): AppendResult => {
  if (last === undefined) throw new RangeError('An append has at least one event');
  return { revision: last.revision, position: last.position };
};

/** As many events as a reader gets at a time. */
const batchSize = 50;

/** The log as one process has it. */
export class LogPort implements EventLog {
  private readonly process: SimulatedProcess;
  private readonly network: Network;
  private readonly log: SimulatedLog;

  constructor(process: SimulatedProcess, network: Network, log: SimulatedLog) {
    this.process = process;
    this.network = network;
    this.log = log;
  }

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly [AppendedEvent, ...AppendedEvent[]],
  ): Promise<AppendResult> {
    return this.call(() => this.log.append(stream, expected, events));
  }

  async *readStream(stream: string, fromRevision = 0): AsyncIterable<readonly RecordedEvent[]> {
    for (let from = fromRevision; ;) {
      const batch = await this.call(() => stored(this.log.stream(stream).slice(from, from + batchSize)));
      if (batch.length > 0) yield batch;
      if (batch.length < batchSize) return;
      from += batch.length;
    }
  }

  readLast(stream: string): Promise<RecordedEvent | undefined> {
    return this.call(() => {
      const last = this.log.stream(stream).at(-1);
      return last && stored(last);
    });
  }

  async *readAll(after?: LogPosition): AsyncIterable<readonly RecordedEvent[]> {
    for (let from = sequenceOf(after); ;) {
      const batch = await this.read(from);
      if (batch.length === 0) return;
      yield batch;
      from += batch.length;
    }
  }

  subscribeAll(after: LogPosition | undefined, subscriber: LogSubscriber): LogSubscription {
    const { network, process, log } = this;
    let isClosing = false;
    let close: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const follow = async (): Promise<void> => {
      for (let from = sequenceOf(after); !isClosing;) {
        // The adapter tries again for as long as the engine is away.
        const batch = await this.read(from).catch(() => undefined);
        if (batch === undefined || isClosing) continue;
        if (batch.length > 0) {
          await subscriber.onEvents(batch);
          from += batch.length;
          continue;
        }
        subscriber.onCaughtUp?.();
        // The news of it comes by the network, into the process.
        const grown = new Promise<void>((resolve) => {
          const told = (): void => void network.time.after(process, network.delay(), resolve);
          if (log.events.length > from) told();
          else void log.growth().then(told);
        });
        await Promise.race([grown, closed]);
      }
    };
    const done = follow();
    done.catch(() => undefined);
    return {
      done,
      close: async () => {
        isClosing = true;
        close();
        await done.catch(() => undefined);
      },
    };
  }

  head(): Promise<LogPosition | undefined> {
    return this.call(() => this.log.events.at(-1)?.position);
  }

  identity(): Promise<string | undefined> {
    return this.call(() => this.log.events[0]?.id);
  }

  readAt(position: LogPosition): Promise<RecordedEvent | undefined> {
    return this.call(() => {
      const found = this.log.events[sequenceOf(position) - 1];
      return found && stored(found);
    });
  }

  async close(): Promise<void> {}

  private read(from: number): Promise<readonly RecordedEvent[]> {
    return this.call(() => stored(this.log.events.slice(from, from + batchSize)));
  }

  private call<T>(act: () => T): Promise<T> {
    return this.network.call(this.process, 'log', 'event log', act);
  }
}
