import type { Clock } from '../../ports/clock.js';
import type { QueueWorker, WorkOptions } from '../../ports/messageBus.js';
import type { WorkQueue } from '../../wire/bus/channel.js';
import { once } from '../../runtime/service.js';
import { Fifo } from './fifo.js';
import type { JobJournal } from './jobJournal.js';
import type { JobLanes, Lane } from './keyLanes.js';
import { lanesOf } from './overlappingLanes.js';
import { backOffMs } from '../../runtime/waiting.js';

interface Delayed {
  readonly key: string;
  readonly sequence: number;
  /** Monotonic clock: within a process no jump of the wall clock makes a job early or late. */
  readonly due: number;
}

interface Worker {
  readonly concurrency: number;
  readonly handle: (payload: Uint8Array) => Promise<void>;
  readonly inHand: Set<Promise<void>>;
  takesMore: boolean;
}

const betweenAttempts = { firstMs: 100, longestMs: 10_000 };
export const pauseAfter = (failures: number): number => backOffMs(betweenAttempts, failures);

/** One work queue: which job is done when, and by whom. The jobs themselves are in the journal. */
export class DurableQueue<T> {
  readonly #queue: WorkQueue<T>;
  readonly #journal: JobJournal;
  readonly #clock: Clock;
  readonly #jobFailed: (error: unknown) => void;
  readonly #lanes: JobLanes;
  /** All jobs wait equally long, so that the order of putting is the order of becoming due. */
  readonly #delayed = new Fifo<Delayed>();
  readonly #workers = new Set<Worker>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #wakeUp: NodeJS.Timeout | undefined;
  #lastSequence = 0;
  #unfinished = 0;
  #isOpen = true;

  constructor(queue: WorkQueue<T>, journal: JobJournal, clock: Clock, jobFailed: (error: unknown) => void) {
    this.#queue = queue;
    this.#lanes = lanesOf(queue);
    this.#journal = journal;
    this.#clock = clock;
    this.#jobFailed = jobFailed;
    this.#takeUp();
  }

  /** Jobs that were put and are not done, due or not. */
  get unfinished(): number {
    return this.#unfinished;
  }

  async put(job: T): Promise<void> {
    const { name, delayMs } = this.#queue;
    const key = this.#queue.key(job);
    const sequence = ++this.#lastSequence;
    const due = this.#clock.monotonic() + delayMs;
    const dueAt = this.#clock.now() + delayMs;
    await this.#journal.add({ queue: name, sequence, key, dueAt }, this.#queue.codec.encode(job));
    this.#delayed.push({ key, sequence, due });
    this.#unfinished += 1;
    this.#advance();
  }

  work({ concurrency }: WorkOptions, handler: (job: T) => Promise<void>): QueueWorker {
    const handle = async (payload: Uint8Array): Promise<void> => handler(this.#queue.codec.decode(payload));
    const worker: Worker = { concurrency, handle, inHand: new Set(), takesMore: true };
    this.#workers.add(worker);
    this.#advance();
    return { close: once(() => this.#dismiss(worker)) };
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#wakeUp);
    for (const pause of this.#pauses) clearTimeout(pause);
    await Promise.all([...this.#workers].map((worker) => this.#dismiss(worker)));
  }

  /** What a former process has left. A wall clock that was set back in between holds no job longer than the delay. */
  #takeUp(): void {
    const now = this.#clock.now();
    const monotonicNow = this.#clock.monotonic();
    for (const { key, sequence, dueAt } of this.#journal.stored(this.#queue.name)) {
      const remaining = Math.min(Math.max(dueAt - now, 0), this.#queue.delayMs);
      this.#delayed.push({ key, sequence, due: monotonicNow + remaining });
      this.#lastSequence = sequence;
      this.#unfinished += 1;
    }
  }

  /** Lets go what has become due, and starts as many jobs as there are free hands. */
  #advance(): void {
    if (!this.#isOpen) return;
    this.#releaseDue();
    for (let worker = this.#freeWorker(); worker; worker = this.#freeWorker()) {
      const lane = this.#lanes.next();
      if (!lane) return;
      this.#start(lane, worker);
    }
  }

  #releaseDue(): void {
    const now = this.#clock.monotonic();
    for (let job = this.#delayed.first; job && job.due <= now; job = this.#delayed.first) {
      this.#delayed.shift();
      this.#lanes.add(job.key, job.sequence);
    }
    const next = this.#delayed.first;
    if (next && !this.#wakeUp) this.#wakeUp = setTimeout(() => this.#wake(), Math.ceil(next.due - now));
  }

  #wake(): void {
    this.#wakeUp = undefined;
    this.#advance();
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
    const ended = this.#perform(lane, worker).then(() => {
      worker.inHand.delete(ended);
      this.#advance();
    });
    worker.inHand.add(ended);
  }

  async #perform(lane: Lane, worker: Worker): Promise<void> {
    const sequence = lane.jobs.first as number;
    try {
      const payload = this.#journal.payload(this.#queue.name, sequence);
      if (payload) await worker.handle(payload);
      this.#journal.remove(this.#queue.name, sequence);
      this.#unfinished -= 1;
      this.#lanes.done(lane);
    } catch (error) {
      this.#jobFailed(error);
      this.#pause(lane);
    }
  }

  #pause(lane: Lane): void {
    if (!this.#isOpen) return;
    lane.failures += 1;
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#lanes.again(lane);
      this.#advance();
    }, pauseAfter(lane.failures));
    this.#pauses.add(pause);
  }

  async #dismiss(worker: Worker): Promise<void> {
    worker.takesMore = false;
    await Promise.all(worker.inHand);
    this.#workers.delete(worker);
  }
}
