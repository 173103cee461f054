import { FifoQueue } from '../fifoQueue.js';
import type { RecordBatch, StoredRecord } from './kafkaClient.js';
import { PartitionCursor, type Accepted } from './partitionCursor.js';

export interface Job {
  readonly jobs: PartitionJobs;
  readonly offset: number;
  readonly key: string;
  readonly payload: Buffer;
  /** By the wall clock of the process that put it. */
  readonly putAt: number;
  isDone: boolean;
}

/** Prefetched jobs of one partition: more are fetched when half of them are done. */
const mostJobs = 1_000;
const mostBytes = 4_000_000;
/** Jobs that are done while an earlier one is not are remembered until it is. */
const mostRemembered = 100_000;

/** The jobs of one partition that were fetched and are not complete up to the first that is not done. */
export class PartitionJobs {
  readonly partition: number;
  private readonly cursor = new PartitionCursor();
  private readonly inOrder = new FifoQueue<Job>();
  private remembered = 0;
  private unfinishedJobs = 0;
  private unfinishedBytes = 0;
  private committedOffset: number | undefined;
  /** Another process owns the partition, or will: jobs that have not started are left to it. */
  isLost = false;
  isPaused = false;

  constructor(partition: number) {
    this.partition = partition;
  }

  /** The offset to fetch next; undefined while it is the committed one. */
  get next(): number | undefined {
    return this.cursor.next;
  }

  /** Fetched, and not done. */
  get unfinished(): number {
    return this.unfinishedJobs;
  }

  get isFull(): boolean {
    return this.isBeyond(1);
  }

  get hasRoom(): boolean {
    return !this.isBeyond(0.5);
  }

  accept(batch: Pick<RecordBatch, 'messages' | 'highWatermark'>): Accepted {
    if (this.cursor.next === undefined) this.cursor.begin(Number(batch.messages[0]?.offset ?? 0));
    return this.cursor.accept(batch);
  }

  add({ offset, key, value, timestamp }: StoredRecord): Job {
    const payload = value ?? Buffer.alloc(0);
    const job: Job = {
      jobs: this,
      offset: Number(offset),
      key: key?.toString() ?? '',
      payload,
      putAt: Number(timestamp),
      isDone: false,
    };
    this.inOrder.push(job);
    this.remembered += 1;
    this.unfinishedJobs += 1;
    this.unfinishedBytes += payload.length;
    return job;
  }

  finish(job: Job): void {
    job.isDone = true;
    this.unfinishedJobs -= 1;
    this.unfinishedBytes -= job.payload.length;
    while (this.inOrder.first?.isDone) {
      this.inOrder.shift();
      this.remembered -= 1;
    }
  }

  /** Where the next owner of the partition would begin, if that is not yet committed. */
  get toCommit(): number | undefined {
    if (this.isLost) return undefined;
    const offset = this.inOrder.first?.offset ?? this.cursor.next;
    return offset === this.committedOffset ? undefined : offset;
  }

  committed(offset: number): void {
    this.committedOffset = offset;
  }

  private isBeyond(share: number): boolean {
    return (
      this.unfinishedJobs > share * mostJobs ||
      this.unfinishedBytes > share * mostBytes ||
      this.remembered > share * mostRemembered
    );
  }
}
