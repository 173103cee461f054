import type { Clock } from '../../ports/clock.js';
import { JobRequeued } from '../../ports/errors.js';
import type { Logger } from '../../ports/logger.js';
import type { QueueWorker, WorkOptions } from '../../ports/messageBus.js';
import { calmLogger } from '../../runtime/onceAMinute.js';
import { once } from '../../runtime/service.js';
import { backOffMs } from '../../runtime/waiting.js';
import type { WorkQueue } from '../../wire/bus/channel.js';
import { systemClock } from '../system/systemClock.js';
import { FifoQueue } from './fifoQueue.js';
import { lanesOf, type JobLanes, type Lane } from './jobLanes.js';

interface Worker {
  readonly concurrency: number;
  readonly handle: (payload: Uint8Array) => Promise<void>;
  readonly inHand: Set<Promise<void>>;
  takesMore: boolean;
}

/** Where an engine keeps the jobs of a queue. */
export interface JobSource<Job> {
  /** Undefined for a job that this process no longer owns. */
  payload(job: Job): Uint8Array | undefined;
  done(job: Job): void;
}

export const betweenAttempts = { firstMs: 100, longestMs: 10_000 };

/** The workers of one queue: start due jobs, one per key at a time, and retry a failed job before later jobs of its key. */
export class JobWorkers<Job> {
  private readonly queue: string;
  private readonly lanes: JobLanes<Job>;
  private readonly source: JobSource<Job>;
  private readonly logger: Logger | undefined;
  private readonly workers = new Set<Worker>();
  private readonly retries = new Set<NodeJS.Timeout>();
  private isOpen = true;

  constructor(
    queue: Pick<WorkQueue<never>, 'name' | 'overlaps'>,
    source: JobSource<Job>,
    logger: Logger | undefined,
  ) {
    this.queue = queue.name;
    this.lanes = lanesOf(queue);
    this.source = source;
    // Every job fails, and again, while what it needs is away.
    this.logger = logger && calmLogger({ clock: systemClock, logger });
  }

  /** Whether any worker has free capacity. */
  get takeMore(): boolean {
    return [...this.workers].some(({ takesMore }) => takesMore);
  }

  /** A job that is due; those of a key in their order. */
  add(key: string, job: Job): void {
    this.lanes.add(key, job);
  }

  work({ concurrency }: WorkOptions, handle: (payload: Uint8Array) => Promise<void>): QueueWorker {
    const worker: Worker = { concurrency, handle, inHand: new Set(), takesMore: true };
    this.workers.add(worker);
    this.advance();
    return { close: once(() => this.dismiss(worker)) };
  }

  /** Starts as many jobs as the workers have capacity for. */
  advance(): void {
    if (!this.isOpen) return;
    for (let worker = this.freeWorker(); worker; worker = this.freeWorker()) {
      const lane = this.lanes.next();
      if (!lane) return;
      this.start(lane, worker);
    }
  }

  async close(): Promise<void> {
    this.isOpen = false;
    for (const retry of this.retries) clearTimeout(retry);
    await Promise.all([...this.workers].map((worker) => this.dismiss(worker)));
  }

  /** The worker with the fewest running jobs. */
  private freeWorker(): Worker | undefined {
    let freest: Worker | undefined;
    for (const worker of this.workers) {
      const isFree = worker.takesMore && worker.inHand.size < worker.concurrency;
      if (isFree && worker.inHand.size < (freest?.inHand.size ?? Infinity)) freest = worker;
    }
    return freest;
  }

  private start(lane: Lane<Job>, worker: Worker): void {
    const ended = this.perform(lane, worker).then(() => {
      worker.inHand.delete(ended);
      this.advance();
    });
    worker.inHand.add(ended);
  }

  private async perform(lane: Lane<Job>, worker: Worker): Promise<void> {
    const job = lane.jobs.first as Job;
    try {
      const payload = this.source.payload(job);
      if (payload) await worker.handle(payload);
    } catch (error) {
      if (!(error instanceof JobRequeued))
        this.logger?.warn('A job failed and is retried', { queue: this.queue, error });
      this.retryLater(lane);
      return;
    }
    this.source.done(job);
    this.lanes.done(lane);
  }

  private retryLater(lane: Lane<Job>): void {
    if (!this.isOpen) return;
    lane.failures += 1;
    const retry = setTimeout(
      () => {
        this.retries.delete(retry);
        this.lanes.again(lane);
        this.advance();
      },
      backOffMs(betweenAttempts, lane.failures),
    );
    this.retries.add(retry);
  }

  private async dismiss(worker: Worker): Promise<void> {
    worker.takesMore = false;
    await Promise.all(worker.inHand);
    this.workers.delete(worker);
  }
}

interface Waiting<Job> {
  readonly job: Job;
  readonly due: number;
}

/** Holds jobs until they are due. All have the same delay, which keeps their order. */
export class DueTimes<Job> {
  private readonly delayMs: number;
  private readonly clock: Clock;
  private readonly becameDue: (jobs: readonly Job[]) => void;
  private readonly waiting = new FifoQueue<Waiting<Job>>();
  private wakeUp: NodeJS.Timeout | undefined;
  private isOpen = true;

  constructor(delayMs: number, clock: Clock, becameDue: (jobs: readonly Job[]) => void) {
    this.delayMs = delayMs;
    this.clock = clock;
    this.becameDue = becameDue;
  }

  /**
   * Converts the wall-clock time at which a job was put into its due time on the monotonic clock. Wall clocks of
   * machines differ and may be set back, so no job waits longer than the delay from now.
   */
  dueTime(putAt: number): number {
    const remaining = Math.min(Math.max(putAt + this.delayMs - this.clock.now(), 0), this.delayMs);
    return this.clock.monotonic() + remaining;
  }

  /** Releases no job before `release` is called. */
  add(job: Job, due: number): void {
    this.waiting.push({ job, due });
  }

  release(): void {
    if (!this.isOpen) return;
    const now = this.clock.monotonic();
    const due: Job[] = [];
    for (let next = this.waiting.first; next && next.due <= now; next = this.waiting.first) {
      this.waiting.shift();
      due.push(next.job);
    }
    const next = this.waiting.first;
    if (next && !this.wakeUp) this.wakeUp = setTimeout(() => this.wake(), Math.ceil(next.due - now));
    if (due.length > 0) this.becameDue(due);
  }

  close(): void {
    this.isOpen = false;
    clearTimeout(this.wakeUp);
  }

  private wake(): void {
    this.wakeUp = undefined;
    this.release();
  }
}
