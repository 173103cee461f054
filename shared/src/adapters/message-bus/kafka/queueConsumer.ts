import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { QueueWorker, WorkOptions } from '../../../ports/messageBus.js';
import type { WorkQueue } from '../../../wire/bus/channel.js';
import { once } from '../../../runtime/service.js';
import { DueTimes, JobWorkers } from '../jobWorkers.js';
import type { RecordBatch } from './kafkaClient.js';
import type { EndOffsets } from './topicCatalog.js';
import { PartitionJobs, type Job } from './partitionJobs.js';
import { SupervisedConsumer, type ConsumerContext, type ConsumerTask } from './supervisedConsumer.js';

export interface QueueConsumerOptions {
  readonly topic: string;
  readonly groupPrefix: string;
  readonly sessionTimeoutMs: number;
  readonly ends: EndOffsets;
  /** The committed offset of a group by partition; -1 for none. */
  readonly committed: (groupId: string) => Promise<readonly (number | undefined)[]>;
  readonly context: ConsumerContext;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  /** Called when the last worker leaves; closes the consumer. */
  readonly unused: () => Promise<void>;
}

interface Owned {
  readonly jobs: PartitionJobs;
  readonly dueTimes: DueTimes<Job>;
}

const betweenCommitsMs = 500;
const notCommitted = -1;

/**
 * The workers of one queue in this process, as one member of the group that all processes share. Jobs are fetched
 * ahead and done out of order; the committed offset is always one before which everything is done.
 */
export class QueueConsumer<T> implements ConsumerTask {
  readonly topic: string;
  readonly groupId: () => string;
  readonly fromBeginning = true;
  readonly sessionTimeoutMs: number;
  private readonly queue: WorkQueue<T>;
  private readonly options: QueueConsumerOptions;
  private readonly consumer: SupervisedConsumer;
  private readonly workers: JobWorkers<Job>;
  private readonly owned = new Map<number, Owned>();
  private memberId = '';
  private commitTimer: NodeJS.Timeout | undefined;

  constructor(queue: WorkQueue<T>, options: QueueConsumerOptions) {
    this.queue = queue;
    this.options = options;
    this.topic = options.topic;
    this.groupId = () => options.groupPrefix + queue.name;
    this.sessionTimeoutMs = options.sessionTimeoutMs;
    this.consumer = new SupervisedConsumer(this, options.context);
    const source = {
      payload: ({ jobs, payload }: Job) => (jobs.isLost ? undefined : payload),
      done: (job: Job) => this.done(job),
    };
    this.workers = new JobWorkers(queue, source, options.logger);
  }

  start(): void {
    void this.consumer.start();
  }

  work(options: WorkOptions, handler: (job: T) => Promise<void>): QueueWorker {
    const { codec } = this.queue;
    const worker = this.workers.work(options, async (payload) => handler(codec.decode(payload)));
    return {
      close: once(async () => {
        const closed = worker.close();
        await (this.workers.takeMore ? closed : this.options.unused());
      }),
    };
  }

  /** Waits for running jobs and commits them, so that they are not repeated. */
  readonly close = once(async () => {
    await this.workers.close();
    for (const { dueTimes } of this.owned.values()) dueTimes.close();
    clearTimeout(this.commitTimer);
    await this.commit();
    await this.consumer.close();
  });

  /**
   * A member that the group had expelled was replaced meanwhile: only the same member goes on where it was, another
   * one starts at the committed offset.
   */
  joined(partitions: readonly number[], memberId: string): void {
    const isSameMember = memberId === this.memberId;
    this.memberId = memberId;
    for (const [partition, owned] of this.owned)
      if (!isSameMember || !partitions.includes(partition)) this.lose(partition, owned);
    for (const partition of partitions) {
      const { jobs } = this.owned.get(partition) ?? this.own(partition);
      if (jobs.next !== undefined) this.consumer.seek(partition, jobs.next);
      if (jobs.isPaused) this.consumer.pause([partition]);
      else this.consumer.resume([partition]);
    }
  }

  leaving(): void {
    void this.commit();
  }

  /** The member has left its group: gives up its partitions, because jobs that end later could not be committed. */
  left(): void {
    for (const [partition, owned] of this.owned) this.lose(partition, owned);
  }

  take(batch: RecordBatch): void {
    const owned = this.owned.get(batch.partition);
    if (!owned) return;
    const { jobs, dueTimes } = owned;
    const { messages, behind, isLoss } = jobs.accept(batch);
    if (behind !== undefined) this.consumer.seek(batch.partition, behind);
    if (isLoss)
      this.options.logger?.error('Jobs are gone before they were done', {
        topic: this.topic,
        partition: batch.partition,
      });
    for (const message of messages) {
      const job = jobs.add(message);
      dueTimes.add(job, dueTimes.dueTime(job.putAt));
    }
    dueTimes.release();
    if (jobs.isFull) {
      jobs.isPaused = true;
      this.consumer.pause([batch.partition]);
    }
  }

  async positions(): Promise<ReadonlyMap<number, number>> {
    const committed = await this.options.committed(this.groupId());
    const positions = new Map<number, number>();
    for (const [partition, { jobs }] of this.owned) {
      const next = jobs.next ?? committed[partition] ?? notCommitted;
      if (!jobs.isPaused && next !== notCommitted) positions.set(partition, next);
    }
    return positions;
  }

  endOffsets(): Promise<readonly number[]> {
    return this.options.ends.fetch();
  }

  /** Jobs of the partitions that this process has, fetched or not. */
  async lag(): Promise<number> {
    const [ends, committed] = await Promise.all([this.endOffsets(), this.options.committed(this.groupId())]);
    let unfinished = 0;
    for (const [partition, { jobs }] of this.owned) {
      const next = jobs.next ?? Math.max(0, committed[partition] ?? 0);
      unfinished += Math.max(0, (ends[partition] ?? 0) - next) + jobs.unfinished;
    }
    return unfinished;
  }

  private own(partition: number): Owned {
    const dueTimes = new DueTimes<Job>(this.queue.delayMs, this.options.clock, (due) => {
      for (const job of due) this.workers.add(job.key, job);
      this.workers.advance();
    });
    const owned: Owned = { jobs: new PartitionJobs(partition), dueTimes };
    this.owned.set(partition, owned);
    return owned;
  }

  private lose(partition: number, { jobs, dueTimes }: Owned): void {
    jobs.isLost = true;
    dueTimes.close();
    this.owned.delete(partition);
  }

  private done(job: Job): void {
    const { jobs } = job;
    jobs.finish(job);
    if (jobs.isLost) return;
    if (jobs.isPaused && jobs.hasRoom) {
      jobs.isPaused = false;
      this.consumer.resume([jobs.partition]);
    }
    this.commitSoon();
  }

  private commitSoon(): void {
    this.commitTimer ??= setTimeout(() => void this.commit(), betweenCommitsMs);
  }

  /** A commit that fails costs nothing but doing something again: the next one makes up for it. */
  private async commit(): Promise<void> {
    this.commitTimer = undefined;
    const offsets = [...this.owned.values()].flatMap(({ jobs }) => {
      const offset = jobs.toCommit;
      return offset === undefined ? [] : [{ jobs, offset }];
    });
    if (offsets.length === 0) return;
    try {
      await this.consumer.commit(new Map(offsets.map(({ jobs, offset }) => [jobs.partition, offset])));
      for (const { jobs, offset } of offsets) jobs.committed(offset);
    } catch (error) {
      this.options.logger?.debug('Finished jobs could not be committed', { topic: this.topic, error });
      if (this.workers.takeMore) this.commitSoon();
    }
  }
}
