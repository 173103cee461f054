import type { QueueWorker, WorkOptions } from '../../../ports/messageBus.js';
import { once } from '../../../runtime/service.js';
import { pauseAfter } from '../durableQueue.js';
import { KeyLanes, type JobLanes, type Lane } from '../keyLanes.js';
import type { Job } from './partitionJobs.js';

interface Worker {
  readonly concurrency: number;
  readonly handle: (payload: Uint8Array) => Promise<void>;
  readonly inHand: Set<Promise<void>>;
  takesMore: boolean;
}

export interface JobOutcomes {
  done(job: Job): void;
  failed(job: Job, error: unknown): void;
}

/** Who does which of the due jobs, and when: one of a key at a time, a failed one again before those behind it. */
export class JobWorkers {
  readonly #outcomes: JobOutcomes;
  readonly #lanes: JobLanes;
  readonly #jobs = new Map<number, Job>();
  readonly #workers = new Set<Worker>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #lastSequence = 0;
  #isOpen = true;

  constructor(outcomes: JobOutcomes, lanes: JobLanes = new KeyLanes()) {
    this.#outcomes = outcomes;
    this.#lanes = lanes;
  }

  /** Whether any of them is still at work, and not about to leave. */
  get takeMore(): boolean {
    return [...this.#workers].some(({ takesMore }) => takesMore);
  }

  /** A job that is due; those of a key in their order. */
  add(job: Job): void {
    const sequence = ++this.#lastSequence;
    this.#jobs.set(sequence, job);
    this.#lanes.add(job.key, sequence);
  }

  work({ concurrency }: WorkOptions, handle: (payload: Uint8Array) => Promise<void>): QueueWorker {
    const worker: Worker = { concurrency, handle, inHand: new Set(), takesMore: true };
    this.#workers.add(worker);
    this.advance();
    return { close: once(() => this.#dismiss(worker)) };
  }

  /** Starts as many jobs as there are free hands. */
  advance(): void {
    if (!this.#isOpen) return;
    for (let worker = this.#freeWorker(); worker; worker = this.#freeWorker()) {
      const lane = this.#lanes.next();
      if (!lane) return;
      this.#start(lane, worker);
    }
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    for (const pause of this.#pauses) clearTimeout(pause);
    await Promise.all([...this.#workers].map((worker) => this.#dismiss(worker)));
  }

  /** The one with the fewest jobs in hand. */
  #freeWorker(): Worker | undefined {
    let freest: Worker | undefined;
    for (const worker of this.#workers) {
      const isFree = worker.takesMore && worker.inHand.size < worker.concurrency;
      if (isFree && worker.inHand.size < (freest?.inHand.size ?? Infinity)) freest = worker;
    }
    return freest;
  }

  #start(lane: Lane, worker: Worker): void {
    const sequence = lane.jobs.first as number;
    const job = this.#jobs.get(sequence) as Job;
    if (job.jobs.isLost) return this.#leave(lane, sequence);
    const ended = this.#perform(job, worker).then((isDone) => {
      worker.inHand.delete(ended);
      if (isDone) this.#leave(lane, sequence);
      else this.#pause(lane);
      this.advance();
    });
    worker.inHand.add(ended);
  }

  async #perform(job: Job, worker: Worker): Promise<boolean> {
    try {
      await worker.handle(job.payload);
    } catch (error) {
      this.#outcomes.failed(job, error);
      return false;
    }
    this.#outcomes.done(job);
    return true;
  }

  #leave(lane: Lane, sequence: number): void {
    this.#jobs.delete(sequence);
    this.#lanes.done(lane);
  }

  #pause(lane: Lane): void {
    if (!this.#isOpen) return;
    lane.failures += 1;
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#lanes.again(lane);
      this.advance();
    }, pauseAfter(lane.failures));
    this.#pauses.add(pause);
  }

  async #dismiss(worker: Worker): Promise<void> {
    worker.takesMore = false;
    await Promise.all(worker.inHand);
    this.#workers.delete(worker);
  }
}
