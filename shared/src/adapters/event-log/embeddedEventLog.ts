import type { AppendedEvent, RecordedEvent } from '../../domain/eventEnvelope.js';
import { EngineUnavailable, RevisionConflict } from '../../ports/errors.js';
import type {
  AppendResult,
  EventLog,
  ExpectedRevision,
  LogPosition,
  LogSubscriber,
  LogSubscription,
} from '../../ports/eventLog.js';
import { once } from '../../runtime/service.js';
import { workSlices } from '../../runtime/workSlices.js';
import type { DataFolder } from '../lmdb/dataFolder.js';
import {
  encodeEvent,
  firstEvent,
  inBatches,
  isPosition,
  lastSequence,
  openEventTables,
  positionOf,
  readAfter,
  readAtSequence,
  readLastOf,
  readStreamFrom,
  sequenceOf,
  writeAppends,
  type Append,
  type AppendOutcome,
  type EventBatch,
  type EventTables,
} from './eventTables.js';
import { createGroupCommit } from '../lmdb/groupCommit.js';
import { createSignal, followLog } from './logSubscription.js';

/**
 * The event log in a file of the data folder. Readers and subscribers see an event once its append has resolved, so that
 * nothing is projected that a power failure could undo.
 */
export const openEmbeddedEventLog = async (folder: DataFolder): Promise<EventLog> =>
  new EmbeddedEventLog(await openEventTables(folder.file('events.lmdb')));

interface ReadBatch {
  readonly after: number;
  readonly last: number;
  readonly batch: EventBatch;
  readonly tookLong: boolean;
}

class EmbeddedEventLog implements EventLog {
  private readonly tables: EventTables;
  private readonly growth = createSignal();
  private readonly subscriptions = new Set<LogSubscription>();
  /** Sequence of the last event on disk. */
  private last: number;
  /** The events read last: all followers read the same ones when the log has grown, and a large one takes its time. */
  private latest: ReadBatch;
  private closed = false;

  private readonly commits = createGroupCommit<Append, AppendOutcome>({
    transact: (work) => this.tables.environment.transact(work),
    write: (appends) => writeAppends(this.tables, appends),
    committed: () => {
      this.last = lastSequence(this.tables);
      this.growth.give();
    },
  });

  constructor(tables: EventTables) {
    this.tables = tables;
    this.last = lastSequence(tables);
    this.latest = { after: this.last, last: this.last, batch: [], tookLong: false };
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly [AppendedEvent, ...AppendedEvent[]],
  ): Promise<AppendResult> {
    this.requireOpen();
    // Rejected before the transaction, where it would also fail the appends of others.
    if (!isStreamName(stream)) throw new RangeError('A stream name has 1 to 500 characters');
    const append = { stream, expected, events: events.map(encodeEvent) };
    const outcome = await this.commits.submit(append).catch(becomeUnavailable);
    if (outcome instanceof RevisionConflict) throw outcome;
    return outcome;
  }

  readStream(stream: string, fromRevision = 0): AsyncIterable<EventBatch> {
    return inBatches((last) => {
      this.requireOpen();
      if (!isStreamName(stream)) return [];
      return readStreamFrom(this.tables, stream, last ? last.revision + 1 : fromRevision, this.last);
    });
  }

  async readLast(stream: string): Promise<RecordedEvent | undefined> {
    this.requireOpen();
    return isStreamName(stream) ? readLastOf(this.tables, stream, this.last) : undefined;
  }

  readAll(after?: LogPosition): AsyncIterable<EventBatch> {
    return inBatches((last) => this.readAfter(this.sequenceOf(last?.position ?? after)));
  }

  subscribeAll(after: LogPosition | undefined, subscriber: LogSubscriber): LogSubscription {
    const tail = {
      sequenceOf: (position: LogPosition | undefined) => this.sequenceOf(position),
      readAfter: (sequence: number) => this.readAfter(sequence),
      tookLong: () => this.latest.tookLong,
      growth: this.growth,
    };
    const subscription = followLog(tail, after, subscriber);
    this.subscriptions.add(subscription);
    const remove = () => this.subscriptions.delete(subscription);
    subscription.done.then(remove, remove);
    return subscription;
  }

  async head(): Promise<LogPosition | undefined> {
    this.requireOpen();
    return this.last === 0 ? undefined : positionOf(this.last);
  }

  async identity(): Promise<string | undefined> {
    this.requireOpen();
    return this.last === 0 ? undefined : firstEvent(this.tables)?.id;
  }

  async readAt(position: LogPosition): Promise<RecordedEvent | undefined> {
    this.requireOpen();
    const sequence = isPosition(position) ? sequenceOf(position) : 0;
    return sequence > this.last ? undefined : readAtSequence(this.tables, sequence);
  }

  readonly close = once(async () => {
    this.closed = true;
    await Promise.all(Array.from(this.subscriptions, (subscription) => subscription.close()));
    await this.commits.idle();
    await this.tables.environment.close();
  });

  private readAfter(sequence: number): EventBatch {
    this.requireOpen();
    const { last } = this;
    if (this.latest.after !== sequence || this.latest.last !== last) {
      const slices = workSlices();
      const batch = readAfter(this.tables, sequence, last);
      this.latest = { after: sequence, last, batch, tookLong: slices.isOver() };
    }
    return this.latest.batch;
  }

  private sequenceOf(position: LogPosition | undefined): number {
    const sequence = position === undefined ? 0 : sequenceOf(position);
    // A checkpoint of another log, or of a lost one: resuming from it would skip events.
    if (sequence > this.last) throw new RangeError(`The event log ends before the position ${position}`);
    return sequence;
  }

  /** LMDB must not be used once it is closed; pending reads reject. */
  private requireOpen(): void {
    if (this.closed) throw new EngineUnavailable('event log', { cause: new Error('It has been closed') });
  }
}

const becomeUnavailable = (cause: unknown): never => {
  throw new EngineUnavailable('event log', { cause });
};

/** LMDB's bound on keys is 1978 bytes, which this many characters never exceed. */
const streamNameMaxLength = 500;

const isStreamName = (stream: string): boolean => stream.length > 0 && stream.length <= streamNameMaxLength;
