import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { QueueWorker, WorkOptions } from '../../ports/messageBus.js';
import type { WorkQueue } from '../../wire/bus/channel.js';
import type { JobJournal } from './jobJournal.js';
import { DueTimes, JobWorkers } from './jobWorkers.js';

/** The payload of a waiting job stays on disk, so that memory holds some 8 bytes a job, whatever it weighs. */
interface QueuedJob {
  readonly key: string;
  readonly sequence: number;
}

/** One work queue, whose jobs are in the journal. */
export class DurableQueue<T> {
  private readonly queue: WorkQueue<T>;
  private readonly journal: JobJournal;
  private readonly clock: Clock;
  private readonly workers: JobWorkers<number>;
  private readonly dueTimes: DueTimes<QueuedJob>;
  private lastSequence = 0;
  private jobs = 0;

  constructor(queue: WorkQueue<T>, journal: JobJournal, clock: Clock, logger: Logger | undefined) {
    this.queue = queue;
    this.journal = journal;
    this.clock = clock;
    const source = {
      payload: (sequence: number) => journal.payload(queue.name, sequence),
      done: (sequence: number) => {
        journal.remove(queue.name, sequence);
        this.jobs -= 1;
      },
    };
    this.workers = new JobWorkers(queue, source, logger);
    this.dueTimes = new DueTimes(queue.delayMs, clock, (due) => {
      for (const { key, sequence } of due) this.workers.add(key, sequence);
      this.workers.advance();
    });
    this.restore();
  }

  /** Jobs that were put and are not done, due or not. */
  get unfinished(): number {
    return this.jobs;
  }

  async put(job: T): Promise<void> {
    const { name, delayMs, codec } = this.queue;
    const key = this.queue.key(job);
    const sequence = ++this.lastSequence;
    const now = this.clock.now();
    const due = this.dueTimes.dueTime(now);
    await this.journal.add({ queue: name, sequence, key, dueAt: now + delayMs }, codec.encode(job));
    this.jobs += 1;
    this.dueTimes.add({ key, sequence }, due);
    this.dueTimes.release();
  }

  work(options: WorkOptions, handler: (job: T) => Promise<void>): QueueWorker {
    this.dueTimes.release();
    return this.workers.work(options, async (payload) => handler(this.queue.codec.decode(payload)));
  }

  async close(): Promise<void> {
    this.dueTimes.close();
    await this.workers.close();
  }

  /** The jobs that an earlier process left. */
  private restore(): void {
    const { name, delayMs } = this.queue;
    for (const { key, sequence, dueAt } of this.journal.stored(name)) {
      this.dueTimes.add({ key, sequence }, this.dueTimes.dueTime(dueAt - delayMs));
      this.lastSequence = sequence;
      this.jobs += 1;
    }
  }
}
