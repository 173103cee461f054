import { Buffer } from 'node:buffer';
import type { Logger } from '@roomwire/shared/ports/logger';
import type {
  RecordBatch,
  RecordHeaders,
  StoredRecord,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaClient';
import {
  SupervisedConsumer,
  type ConsumerContext,
  type ConsumerTask,
} from '@roomwire/shared/adapters/message-bus/kafka/supervisedConsumer';
import type { RecordSource, SourceRecord } from './sourceRecord.js';

export interface KafkaRecordsOptions {
  readonly topic: string;
  readonly groupId: string;
  /** Where partitions begin of which the group has not committed anything, when it is joined first; others at their first record. */
  readonly starts: ReadonlyMap<number, number>;
  readonly context: ConsumerContext;
  readonly logger: Logger;
}

interface Owned {
  /** Undefined until the library has said where the group was. */
  next: number | undefined;
  isLost: boolean;
}

/** How long the partitions of a process that was killed wait until others read on. */
const sessionTimeoutMs = 30_000;
const mostWaiting = 1_000;

/** One topic, read as a member of a group that commits what is done with. */
export class KafkaRecords implements ConsumerTask, RecordSource {
  readonly topic: string;
  readonly groupId: () => string;
  /** A partition that is new, or whose place is lost, is read from its beginning: better twice than never. */
  readonly fromBeginning = true;
  readonly sessionTimeoutMs = sessionTimeoutMs;
  private readonly logger: Logger;
  private readonly consumer: SupervisedConsumer;
  private readonly starts: Map<number, number>;
  private readonly owned = new Map<number, Owned>();
  private readonly owners = new WeakMap<SourceRecord, Owned>();
  private waiting: SourceRecord[] = [];
  private failure: string | undefined;
  private memberId = '';
  private isPaused = false;
  private wake = (): void => undefined;

  constructor({ topic, groupId, starts, context, logger }: KafkaRecordsOptions) {
    this.topic = topic;
    this.groupId = () => groupId;
    this.starts = new Map(starts);
    this.logger = logger;
    this.consumer = new SupervisedConsumer(this, context);
  }

  /** Resolves when the group was joined. */
  start(): Promise<void> {
    return this.consumer.start();
  }

  close(): Promise<void> {
    return this.consumer.close();
  }

  async *records(signal: AbortSignal): AsyncGenerator<SourceRecord> {
    signal.addEventListener('abort', () => this.wake(), { once: true });
    while (!signal.aborted) {
      const record = this.waiting.shift();
      // Not raced with the signal: each race would stay in memory for as long as that does.
      if (record === undefined) await this.more();
      else if (!this.owners.get(record)?.isLost) yield record;
    }
  }

  async done(records: readonly SourceRecord[]): Promise<void> {
    const offsets = new Map<number, number>();
    for (const record of records)
      if (!this.owners.get(record)?.isLost) offsets.set(record.partition, record.offset + 1);
    await this.commit(offsets);
  }

  /** Commits where partitions began of which nothing was read yet, so that a process that ends before that begins there again. */
  async commitStarts(starts: ReadonlyMap<number, number>): Promise<void> {
    await this.commit(
      new Map([...starts].filter(([partition, at]) => this.owned.get(partition)?.next === at)),
    );
  }

  joined(partitions: readonly number[], memberId: string): void {
    const isSameMember = memberId === this.memberId;
    this.memberId = memberId;
    // Another member may have been further meanwhile.
    for (const partition of this.owned.keys())
      if (!isSameMember || !partitions.includes(partition)) this.lose(partition);
    for (const partition of partitions) {
      const { next } = this.owned.get(partition) ?? this.own(partition);
      if (next !== undefined) this.consumer.seek(partition, next);
    }
    if (this.isPaused) this.consumer.pause(partitions);
    else this.consumer.resume(partitions);
    this.starts.clear();
  }

  leaving(): void {
    // What is done with has been committed.
  }

  /** Why the last attempt to be a member failed; undefined where none did. */
  get lastFailure(): string | undefined {
    return this.failure;
  }

  replaced(why: string): void {
    this.failure = why;
  }

  left(): void {
    for (const partition of this.owned.keys()) this.lose(partition);
  }

  take({ partition, messages, highWatermark }: RecordBatch): void {
    const owned = this.owned.get(partition);
    const last = messages.at(-1);
    if (owned === undefined || last === undefined) return;
    if (owned.next !== undefined && Number(highWatermark) < owned.next) {
      this.logger.warn('A partition was cut off or created again, and is read from its beginning', {
        ...{ topic: this.topic, partition },
      });
      owned.next = undefined;
    }
    const from = owned.next ?? 0;
    for (const message of messages) if (Number(message.offset) >= from) this.add(partition, message, owned);
    owned.next = Math.max(from, Number(last.offset) + 1);
    if (this.waiting.length >= mostWaiting) this.pause();
    this.wake();
  }

  /**
   * None: offsets of transactions are no records, so a partition that has been read looks as if something were left. Silence still
   * shows a consumer that stands still.
   */
  positions(): Promise<ReadonlyMap<number, number>> {
    return Promise.resolve(new Map());
  }

  endOffsets(): Promise<readonly number[]> {
    return Promise.resolve([]);
  }

  private more(): Promise<void> {
    this.resume();
    return new Promise((resolve) => (this.wake = resolve));
  }

  private add(partition: number, message: StoredRecord, owned: Owned): void {
    const record = recordOf(partition, message);
    this.owners.set(record, owned);
    this.waiting.push(record);
  }

  private own(partition: number): Owned {
    const owned = { next: this.starts.get(partition), isLost: false };
    this.owned.set(partition, owned);
    return owned;
  }

  private lose(partition: number): void {
    const owned = this.owned.get(partition);
    if (owned !== undefined) owned.isLost = true;
    this.owned.delete(partition);
  }

  private pause(): void {
    this.isPaused = true;
    this.consumer.pause([...this.owned.keys()]);
  }

  private resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.consumer.resume([...this.owned.keys()]);
  }

  private async commit(offsets: ReadonlyMap<number, number>): Promise<void> {
    if (offsets.size === 0) return;
    try {
      await this.consumer.commit(offsets);
    } catch (error) {
      this.logger.debug('Offsets could not be committed', { topic: this.topic, error });
    }
  }
}

const recordOf = (partition: number, { offset, key, value, headers }: StoredRecord): SourceRecord => ({
  partition,
  offset: Number(offset),
  key: key ?? undefined,
  value: value ?? undefined,
  header: (name) => headerOf(headers, name),
});

/** The first of several. */
const headerOf = (headers: RecordHeaders | undefined, name: string): Uint8Array | undefined => {
  if (headers === undefined || !Object.hasOwn(headers, name)) return undefined;
  const given = headers[name];
  const first = Array.isArray(given) ? given[0] : given;
  return typeof first === 'string' ? Buffer.from(first) : first;
};
