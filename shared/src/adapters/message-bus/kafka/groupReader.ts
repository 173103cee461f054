import type { Logger } from '../../../ports/logger.js';
import { once } from '../../../runtime/service.js';
import type { RecordBatch, StoredRecord } from './kafkaClient.js';
import type { EndOffsets } from './topicCatalog.js';
import { PartitionCursor } from './partitionCursor.js';
import { SupervisedConsumer, type ConsumerContext, type ConsumerTask } from './supervisedConsumer.js';

/** A batch of records of a partition, in order. */
export interface GroupBatch {
  readonly partition: number;
  /** The first offset: follows the previous batch unless the records in between were deleted. */
  readonly first: number;
  /** Without duplicates. */
  readonly messages: readonly StoredRecord[];
  /** The offset behind the last record. */
  readonly next: number;
}

/** Consumes a topic as a member of a group. The follower stores offsets together with the results of the records. */
export interface GroupFollower {
  /** The offset to resume at, undefined for the first record. Called whenever this process is assigned the partition. */
  nextOffset(partition: number): number | undefined;
  /** Must not block and must not throw. */
  take(batch: GroupBatch): void;
  /** The partition may now belong to another process, which continues from the stored offset. */
  lost(partition: number): void;
  /** The topic ends before the offset: it was recreated, so stored offsets are invalid. */
  cut(partition: number): void;
}

/** A member of the group, at work. */
export interface GroupReading {
  /** Nothing more is fetched until `resume`; a batch that has been fetched may still come. */
  pause(): void;
  resume(): void;
  /** Commits offsets so that the lag of the group can be watched; they are never read. May reject. */
  commit(offsets: ReadonlyMap<number, number>): Promise<void>;
  /** Leaves the group. */
  close(): Promise<void>;
}

export interface GroupReaderOptions {
  readonly topic: string;
  readonly groupId: string;
  readonly sessionTimeoutMs: number;
  readonly ends: EndOffsets;
  readonly context: ConsumerContext;
  readonly logger: Logger | undefined;
}

interface Owned {
  readonly cursor: PartitionCursor;
  /** Start of the next batch that is handed over. */
  from: number | undefined;
}

/** So many earlier records are read once more, to recognize a second copy whose first was read before. */
const lookBack = 2_000;

/** One topic, shared by the members of a group. The follower, never the brokers, decides where each partition resumes. */
export class GroupReader implements ConsumerTask, GroupReading {
  readonly topic: string;
  readonly groupId: () => string;
  readonly fromBeginning = true;
  readonly sessionTimeoutMs: number;
  private readonly options: GroupReaderOptions;
  private readonly follower: GroupFollower;
  private readonly consumer: SupervisedConsumer;
  private readonly owned = new Map<number, Owned>();
  private memberId = '';
  private isPaused = false;

  constructor(follower: GroupFollower, options: GroupReaderOptions) {
    this.options = options;
    this.follower = follower;
    this.topic = options.topic;
    this.groupId = () => options.groupId;
    this.sessionTimeoutMs = options.sessionTimeoutMs;
    this.consumer = new SupervisedConsumer(this, options.context);
  }

  start(): void {
    void this.consumer.start();
  }

  pause(): void {
    this.isPaused = true;
    this.consumer.pause([...this.owned.keys()]);
  }

  resume(): void {
    this.isPaused = false;
    this.consumer.resume([...this.owned.keys()]);
  }

  async commit(offsets: ReadonlyMap<number, number>): Promise<void> {
    const owned = new Map([...offsets].filter(([partition]) => this.owned.has(partition)));
    if (owned.size > 0) await this.consumer.commit(owned);
  }

  readonly close = once(() => this.consumer.close());

  /** A new member id starts where the follower is: others may have had its partitions in between. */
  joined(partitions: readonly number[], memberId: string): void {
    const isSameMember = memberId === this.memberId;
    this.memberId = memberId;
    for (const partition of this.owned.keys())
      if (!isSameMember || !partitions.includes(partition)) this.lose(partition);
    for (const partition of partitions) {
      const { cursor } = this.owned.get(partition) ?? this.own(partition);
      if (cursor.next !== undefined) this.consumer.seek(partition, cursor.next);
    }
    if (this.isPaused) this.consumer.pause(partitions);
    else this.consumer.resume(partitions);
  }

  leaving(): void {
    // Nothing to commit: the offsets are the follower's.
  }

  left(): void {
    for (const partition of this.owned.keys()) this.lose(partition);
  }

  take(batch: RecordBatch): void {
    const owned = this.owned.get(batch.partition);
    const start = Number(batch.messages[0]?.offset ?? 0);
    if (!owned || batch.messages.length === 0) return;
    const { partition } = batch;
    const { cursor } = owned;
    if (cursor.next === undefined) cursor.begin(start);
    const from = (owned.from ??= start);
    if (Number(batch.highWatermark) < from) return this.follower.cut(partition);
    const { messages, behind, isLoss } = cursor.accept(batch);
    if (behind !== undefined) return this.consumer.seek(partition, behind);
    const first = isLoss ? Math.max(start, from) : from;
    const next = Math.max(from, cursor.next ?? from);
    if (first > from)
      this.options.logger?.error('Records are gone before they were read', {
        ...{ topic: this.topic, partition, records: first - from },
      });
    owned.from = next;
    if (next > first)
      this.follower.take({ partition, first, messages: messages.filter(isFrom(first)), next });
  }

  async positions(): Promise<ReadonlyMap<number, number>> {
    const positions = new Map<number, number>();
    if (this.isPaused) return positions;
    for (const [partition, { cursor }] of this.owned)
      if (cursor.next !== undefined) positions.set(partition, cursor.next);
    return positions;
  }

  endOffsets(): Promise<readonly number[]> {
    return this.options.ends.fetch();
  }

  /** Records that have not been handed over, of the partitions that this member has and has read from. */
  async lag(): Promise<number> {
    const ends = await this.endOffsets();
    let records = 0;
    for (const [partition, { from }] of this.owned)
      if (from !== undefined) records += Math.max(0, (ends[partition] ?? 0) - from);
    return records;
  }

  private own(partition: number): Owned {
    const from = this.follower.nextOffset(partition);
    const owned: Owned = { cursor: new PartitionCursor(), from };
    if (from !== undefined) owned.cursor.begin(Math.max(0, from - lookBack));
    this.owned.set(partition, owned);
    return owned;
  }

  private lose(partition: number): void {
    this.owned.delete(partition);
    this.follower.lost(partition);
  }
}

const isFrom =
  (first: number) =>
  ({ offset }: StoredRecord): boolean =>
    Number(offset) >= first;
