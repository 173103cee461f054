import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@roomwire/shared/ports/clock';

/** Lets so many pass a second, evenly; the others wait, first come, first served. */
export class Pacer {
  readonly #intervalMs: number;
  readonly #clock: Clock;
  /** Monotonic clock. */
  #next = 0;

  constructor(perSecond: number, clock: Clock) {
    this.#intervalMs = 1_000 / perSecond;
    this.#clock = clock;
  }

  async pass(): Promise<void> {
    const now = this.#clock.monotonic();
    const turn = Math.max(this.#next, now);
    this.#next = turn + this.#intervalMs;
    if (turn > now) await pause(turn - now);
  }
}
