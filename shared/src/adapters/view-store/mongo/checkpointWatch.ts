import { setTimeout as pause } from 'node:timers/promises';
import type { LogPosition } from '../../../ports/eventLog.js';
import { PositionWaiters } from '../positionWaiters.js';

const firstPauseMs = 2;
const longestPauseMs = 20;
/** While the engine does not answer. */
const troubledPauseMs = 100;

/** Looks at the checkpoint for all who wait for a position, and not at all while nobody does. */
export class CheckpointWatch {
  readonly #read: () => Promise<LogPosition | undefined>;
  readonly #waiters = new PositionWaiters();
  #waiting = 0;
  #pauseMs = firstPauseMs;
  #isLooking = false;

  constructor(read: () => Promise<LogPosition | undefined>) {
    this.#read = read;
  }

  async wait(position: LogPosition, withinMs: number): Promise<boolean> {
    this.#waiting += 1;
    // Who has just come most likely waits for what is about to be written.
    this.#pauseMs = firstPauseMs;
    const answer = this.#waiters.wait(position, withinMs);
    void this.#look();
    try {
      return await answer;
    } finally {
      this.#waiting -= 1;
    }
  }

  reached(position: LogPosition): void {
    this.#waiters.reached(position);
  }

  close(): void {
    this.#waiters.close();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#waiting > 0) {
      await pause(this.#pauseMs);
      this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 1.5);
      try {
        const checkpoint = await this.#read();
        if (checkpoint !== undefined) this.#waiters.reached(checkpoint);
      } catch {
        // Those who wait give up when their time is over; whoever reads hears why.
        this.#pauseMs = troubledPauseMs;
      }
    }
    this.#isLooking = false;
  }
}
