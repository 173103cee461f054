import { setTimeout as pause } from 'node:timers/promises';
import type { HistoryPartitions, PartitionEnd } from '../../history/historyPartitions.js';
import { EngineUnavailable } from '../../ports/errors.js';
import type { HistoryIndex, IndexedPartition } from '../../ports/historyIndex.js';
import type { Logger } from '../../ports/logger.js';
import { SharedAnswer } from '../../runtime/sharedAnswer.js';
import type { ChannelPartitions } from '../message-bus/kafka/channelPartitions.js';
import type { EndsOfPartition } from '../message-bus/kafka/kafkaClient.js';
import { keptRecordOf } from './keptRecords.js';
import { TailRun, type TailLimits } from './tailRun.js';

export interface KafkaHistoryPartitionsDeps {
  /** Of `messages`. */
  readonly partitions: Pick<ChannelPartitions, 'count' | 'partitionOf' | 'bounds' | 'records'>;
  readonly index: Pick<HistoryIndex, 'partition'>;
  readonly logger?: Logger | undefined;
  readonly limits?: TailLimits;
  /** Limit of the wait for the index. */
  readonly indexWaitMs?: number;
}

const usualIndexWaitMs = 5_000;
const betweenLooksMs = 100;

const usualLimits: TailLimits = {
  messages: 5_000,
  bytes: 8 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
};

interface Tail {
  readonly end: SharedAnswer<PartitionEnd>;
  run: TailRun | undefined;
  /** Up to where the index was when it was last asked. */
  indexed: IndexedPartition | undefined;
}

/**
 * Reads on, from what the index has of a partition to the partition's end, whenever somebody asks. What was read is kept as long as
 * there is room, so that the next one who asks needs what has come since.
 */
export class KafkaHistoryPartitions implements HistoryPartitions {
  private readonly deps: KafkaHistoryPartitionsDeps;
  private readonly limits: TailLimits;
  /** The one that was asked for most recently comes last. */
  private readonly tails = new Map<number, Tail>();

  constructor(deps: KafkaHistoryPartitionsDeps) {
    this.deps = deps;
    this.limits = deps.limits ?? usualLimits;
  }

  endOf(room: string): Promise<PartitionEnd> {
    const partition = this.deps.partitions.partitionOf(room);
    const tail = this.tails.get(partition) ?? this.newTail(partition);
    this.tails.delete(partition);
    this.tails.set(partition, tail);
    return tail.end.get();
  }

  async indexed(): Promise<void> {
    const { partitions, indexWaitMs = usualIndexWaitMs } = this.deps;
    const deadline = performance.now() + indexWaitMs;
    const numbers = Array.from({ length: partitions.count }, (_, partition) => partition);
    const ends = await Promise.all(numbers.map((partition) => partitions.bounds(partition)));
    for (
      let behind = await this.notIndexed(ends);
      behind.length > 0;
      behind = await this.notIndexed(behind)
    ) {
      if (performance.now() > deadline) throw new EngineUnavailable('message history');
      await pause(betweenLooksMs);
    }
  }

  epochOf(room: string): number | undefined {
    return this.tails.get(this.deps.partitions.partitionOf(room))?.indexed?.epoch;
  }

  /** Those whose records up to the end are not all in the index. */
  private async notIndexed(ends: readonly EndsOfPartition[]): Promise<readonly EndsOfPartition[]> {
    const inIndex = await Promise.all(ends.map(({ partition }) => this.deps.index.partition(partition)));
    return ends.filter(({ low, high }, n) => (inIndex[n]?.next ?? low) < high);
  }

  private newTail(partition: number): Tail {
    const tail: Tail = {
      end: new SharedAnswer(() => this.readOn(partition, tail)),
      run: undefined,
      indexed: undefined,
    };
    return tail;
  }

  /** The index first: one that is ahead of the end, which is asked for later, is of records that are gone. */
  private async readOn(partition: number, tail: Tail): Promise<PartitionEnd> {
    const { index, partitions } = this.deps;
    const indexed = await index.partition(partition);
    const { low, high } = await partitions.bounds(partition);
    if (indexed === undefined || indexed.next < low || indexed.next > high)
      throw new EngineUnavailable('message history');
    tail.indexed = indexed;
    if (!tail.run?.covers(indexed, high)) tail.run = new TailRun(indexed);
    const { run } = tail;
    while (run.next < high) {
      this.requireRoom(run, indexed);
      await this.fetch(partition, run);
    }
    this.trim(run, indexed);
    this.limitTotal(tail);
    return { epoch: run.epoch, next: run.next, tail: run.snapshot(indexed.next, low) };
  }

  private async fetch(partition: number, run: TailRun): Promise<void> {
    const records = await this.deps.partitions.records(partition, run.next);
    const last = records?.at(-1);
    if (records === undefined || last === undefined) throw new EngineUnavailable('message history');
    const kept = records.flatMap((record) => keptRecordOf(record, this.deps.logger) ?? []);
    run.add(kept, Number(last.offset) + 1);
  }

  /** Whoever archives may be so far behind that what is between does not fit here. */
  private requireRoom(run: TailRun, indexed: IndexedPartition): void {
    this.trim(run, indexed);
    if (run.exceeds(this.limits)) throw new EngineUnavailable('message history');
  }

  private trim(run: TailRun, indexed: IndexedPartition): void {
    const { messages, bytes } = this.limits;
    run.trim(indexed.next, (count, ofRun) => count > messages || ofRun > bytes);
  }

  private limitTotal(latest: Tail): void {
    let total = 0;
    for (const { run } of this.tails.values()) total += run?.bytes ?? 0;
    for (const other of this.tails.values()) {
      if (total <= this.limits.totalBytes) return;
      if (other === latest) continue;
      total -= other.run?.bytes ?? 0;
      other.run = undefined;
    }
  }
}
