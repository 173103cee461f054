import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { ChannelReader, OnRecord, ReadOptions } from '../../../ports/messageBus.js';
import type { Logger } from '../../../ports/logger.js';
import type { Channel } from '../../../wire/bus/channel.js';
import type { RecordBatch, StoredRecord } from './kafkaClient.js';
import type { EndOffsets } from './topicCatalog.js';
import { PartitionCursor } from './partitionCursor.js';
import { partitionOf, withCarried } from './recordFormat.js';
import { SupervisedConsumer, type ConsumerContext, type ConsumerTask } from './supervisedConsumer.js';

export interface RecordPosition {
  readonly partition: number;
  readonly offset: number;
}

/** The part of a source that a reader uses. */
export interface Fetching {
  /** Resolves when all later records with the key will be fetched. */
  begin(key: string): Promise<void>;
  end(key: string): void;
  /** The offset that is fetched next, of the key's partition. */
  next(key: string): number | undefined;
  leave(): Promise<void>;
}

/** One of the readers of a channel in this process. */
class KafkaChannelReader<T> implements ChannelReader {
  readonly onRecord: OnRecord<T>;
  private readonly fetching: Fetching;
  /** The numbers of the subscriptions of each key, the oldest first; undefined for a reader of everything. */
  private readonly subscribed: Map<string, Set<number>> | undefined;
  private lastSubscription = 0;
  /** Other readers may have started earlier, and may still get records from before this one started. */
  private readonly starts: readonly number[];
  private closed: Promise<void> | undefined;

  constructor(
    { interest }: ReadOptions,
    onRecord: OnRecord<T>,
    starts: readonly number[],
    fetching: Fetching,
  ) {
    this.onRecord = onRecord;
    this.starts = starts;
    this.fetching = fetching;
    this.subscribed = interest === 'subscribed' ? new Map() : undefined;
  }

  wants(key: string, { partition, offset }: RecordPosition): boolean {
    if (this.closed) return false;
    return this.subscribed ? this.subscribed.has(key) : offset >= (this.starts[partition] ?? 0);
  }

  async subscribe(key: string): Promise<void> {
    if (this.closed || !this.subscribed) return;
    const number = ++this.lastSubscription;
    this.subscribed.set(key, (this.subscribed.get(key) ?? new Set()).add(number));
    try {
      await this.fetching.begin(key);
    } catch (error) {
      // It may have been given up meanwhile, and another have begun, which goes on.
      this.end(key, number);
      throw error;
    }
  }

  unsubscribe(key: string): void {
    for (const oldest of this.subscribed?.get(key) ?? []) return this.end(key, oldest);
  }

  next(key: string): number | undefined {
    return this.fetching.next(key);
  }

  close(): Promise<void> {
    return (this.closed ??= this.leave());
  }

  private end(key: string, number: number): void {
    const numbers = this.subscribed?.get(key);
    if (!numbers?.delete(number)) return;
    if (numbers.size === 0) this.subscribed?.delete(key);
    this.fetching.end(key);
  }

  private leave(): Promise<void> {
    for (const [key, numbers] of this.subscribed ?? []) for (const number of numbers) this.end(key, number);
    return this.fetching.leave();
  }
}

export interface ChannelSourceOptions {
  readonly topic: string;
  readonly partitions: number;
  readonly groupPrefix: string;
  readonly sessionTimeoutMs: number;
  readonly ends: EndOffsets;
  readonly context: ConsumerContext;
  readonly logger: Logger | undefined;
  /** Called when the last reader has left. */
  readonly unused: () => Promise<void>;
}

interface ReadPartition {
  readonly cursor: PartitionCursor;
  /** Subscribed keys, and readers of everything. */
  users: number;
}

/**
 * The readers of one channel in this process share it: one consumer, alone in a group of its own, that fetches the
 * partitions that have readers. Nothing is committed, and the group ends with the process.
 */
export class ChannelSource<T> implements ConsumerTask {
  readonly topic: string;
  readonly groupId: () => string;
  readonly fromBeginning = false;
  readonly sessionTimeoutMs: number;
  private readonly channel: Channel<T>;
  private readonly options: ChannelSourceOptions;
  private readonly partitions: readonly ReadPartition[];
  private readonly consumer: SupervisedConsumer;
  /** Replaced and never changed, so that readers may come and go while a record is delivered. */
  private readers: readonly KafkaChannelReader<T>[] = [];
  private records = 0;

  constructor(channel: Channel<T>, options: ChannelSourceOptions) {
    this.channel = channel;
    this.options = options;
    this.topic = options.topic;
    this.sessionTimeoutMs = options.sessionTimeoutMs;
    this.groupId = () => `${options.groupPrefix}${channel.name}.${randomUUID()}`;
    this.partitions = Array.from({ length: options.partitions }, () => ({
      cursor: new PartitionCursor(),
      users: 0,
    }));
    this.consumer = new SupervisedConsumer(this, options.context);
  }

  /** Resolves when the consumer is running. */
  start(): Promise<void> {
    return this.consumer.start();
  }

  close(): Promise<void> {
    return this.consumer.close();
  }

  get statistics(): { readonly records: number; readonly bytes: number } {
    return { records: this.records, bytes: this.consumer.bytesRead };
  }

  async read(options: ReadOptions, onRecord: OnRecord<T>): Promise<ChannelReader> {
    const all = options.interest === 'all' ? [...this.partitions.keys()] : [];
    for (const partition of all) this.partition(partition).users += 1;
    let starts: readonly number[] = [];
    try {
      if (all.length > 0) starts = await this.begin(all);
    } catch (error) {
      this.release(all);
      throw error;
    }
    const reader: KafkaChannelReader<T> = new KafkaChannelReader(options, onRecord, starts, {
      begin: (key) => this.subscribe(this.partitionOf(key)),
      end: (key) => this.release([this.partitionOf(key)]),
      next: (key) => this.partition(this.partitionOf(key)).cursor.next,
      leave: async () => {
        this.release(all);
        this.readers = this.readers.filter((other) => other !== reader);
        if (this.readers.length === 0) await this.options.unused();
      },
    });
    this.readers = [...this.readers, reader];
    return reader;
  }

  joined(): void {
    const reading = [...this.readPositions()];
    const idle = [...this.partitions.keys()].filter((n) => this.partition(n).cursor.next === undefined);
    this.consumer.pause(idle);
    this.consumer.resume(reading.map(([partition]) => partition));
    for (const [partition, next] of reading) this.consumer.seek(partition, next);
  }

  /** Nothing is committed. */
  leaving(): void {}

  /** The offsets stay as they are for the next consumer. */
  left(): void {}

  take(batch: RecordBatch): void {
    this.records += batch.messages.length;
    const cursor = this.partitions[batch.partition]?.cursor;
    const { messages, behind, isLoss } = cursor?.accept(batch) ?? { messages: [] };
    if (behind !== undefined) this.consumer.seek(batch.partition, behind);
    if (isLoss)
      this.options.logger?.error('Records are gone before they were read', {
        topic: this.topic,
        partition: batch.partition,
      });
    for (const message of messages) this.deliver(message, batch.partition);
  }

  async positions(): Promise<ReadonlyMap<number, number>> {
    return this.readPositions();
  }

  endOffsets(): Promise<readonly number[]> {
    return this.options.ends.fetch();
  }

  /** Records of the partitions that are read, behind the offset that is read next. */
  async lag(): Promise<number> {
    const ends = await this.endOffsets();
    let records = 0;
    for (const [partition, next] of this.readPositions())
      records += Math.max(0, (ends[partition] ?? 0) - next);
    return records;
  }

  private readPositions(): ReadonlyMap<number, number> {
    const positions = new Map<number, number>();
    for (const [partition, { cursor }] of this.partitions.entries())
      if (cursor.next !== undefined) positions.set(partition, cursor.next);
    return positions;
  }

  private partition(partition: number): ReadPartition {
    return this.partitions[partition] as ReadPartition;
  }

  private partitionOf(key: string): number {
    return partitionOf(Buffer.from(key), this.partitions.length);
  }

  /** In a partition that is being read, records sent from now on come behind the current offset. */
  private async subscribe(partition: number): Promise<void> {
    const read = this.partition(partition);
    read.users += 1;
    if (read.cursor.next === undefined) await this.begin([partition]);
  }

  /** Starts at the current end, even while the consumer has not joined or not rejoined its group. */
  private async begin(partitions: readonly number[]): Promise<readonly number[]> {
    const ends = await this.options.ends.fetch(partitions);
    for (const partition of partitions) {
      const { cursor, users } = this.partition(partition);
      if (users === 0 || cursor.next !== undefined) continue;
      const end = ends[partition] ?? 0;
      cursor.begin(end);
      this.consumer.seek(partition, end);
      this.consumer.resume([partition]);
    }
    return ends;
  }

  private release(partitions: readonly number[]): void {
    for (const partition of partitions) {
      const read = this.partition(partition);
      read.users -= 1;
      if (read.users > 0 || read.cursor.next === undefined) continue;
      read.cursor.end();
      this.consumer.pause([partition]);
    }
  }

  private deliver(message: StoredRecord, partition: number): void {
    const position: RecordPosition = { partition, offset: Number(message.offset) };
    const key = message.key?.toString() ?? '';
    let record: { readonly value: T } | undefined;
    for (const reader of this.readers) {
      if (!reader.wants(key, position)) continue;
      record ??= this.decode(message, position);
      if (!record) return;
      this.handOver(record.value, position.offset, reader);
    }
  }

  /** Skips a record that cannot be decoded, since a retry would fail again. */
  private decode(
    { value, headers }: StoredRecord,
    position: RecordPosition,
  ): { readonly value: T } | undefined {
    const { codec, carried } = this.channel;
    try {
      const record = codec.decode(value ?? new Uint8Array());
      return { value: carried ? withCarried(carried, record, headers) : record };
    } catch (error) {
      this.options.logger?.error('A record cannot be read', { topic: this.topic, ...position, error });
      return undefined;
    }
  }

  private handOver(record: T, offset: number, reader: KafkaChannelReader<T>): void {
    try {
      reader.onRecord(record, offset);
    } catch (error) {
      this.options.logger?.error('A reader failed', { channel: this.channel.name, error });
    }
  }
}
