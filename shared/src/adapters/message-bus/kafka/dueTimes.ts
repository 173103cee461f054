import type { Clock } from '../../../ports/clock.js';
import { Fifo } from '../fifo.js';
import type { Job } from './partitionJobs.js';

interface Waiting {
  readonly job: Job;
  /** Monotonic clock: a jump of the wall clock makes no job early or late. */
  readonly due: number;
}

/** Holds the jobs of one partition until they are due. All wait equally long, so that their order stays. */
export class DueTimes {
  readonly #delayMs: number;
  readonly #clock: Clock;
  readonly #becameDue: (jobs: readonly Job[]) => void;
  readonly #waiting = new Fifo<Waiting>();
  #wakeUp: NodeJS.Timeout | undefined;

  constructor(delayMs: number, clock: Clock, becameDue: (jobs: readonly Job[]) => void) {
    this.#delayMs = delayMs;
    this.#clock = clock;
    this.#becameDue = becameDue;
  }

  /** The clocks of two machines differ: no job waits longer than the delay after it was fetched. */
  add(job: Job): void {
    const remaining = Math.min(Math.max(job.putAt + this.#delayMs - this.#clock.now(), 0), this.#delayMs);
    this.#waiting.push({ job, due: this.#clock.monotonic() + remaining });
  }

  release(): void {
    const now = this.#clock.monotonic();
    const due: Job[] = [];
    for (let next = this.#waiting.first; next && next.due <= now; next = this.#waiting.first) {
      this.#waiting.shift();
      due.push(next.job);
    }
    const next = this.#waiting.first;
    if (next && !this.#wakeUp) this.#wakeUp = setTimeout(() => this.#wake(), Math.ceil(next.due - now));
    if (due.length > 0) this.#becameDue(due);
  }

  close(): void {
    clearTimeout(this.#wakeUp);
  }

  #wake(): void {
    this.#wakeUp = undefined;
    this.release();
  }
}
