import type { LogPosition } from '../../ports/eventLog.js';

interface Waiter {
  readonly position: LogPosition;
  readonly settle: (reached: boolean) => void;
}

/** Those who wait until the read models have come up to a position. */
export class PositionWaiters {
  readonly #waiters = new Set<Waiter>();

  wait(position: LogPosition, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (reached: boolean): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve(reached);
      };
      const waiter: Waiter = { position, settle };
      const timer = setTimeout(settle, withinMs, false);
      this.#waiters.add(waiter);
    });
  }

  reached(position: LogPosition): void {
    for (const waiter of this.#waiters) if (waiter.position <= position) waiter.settle(true);
  }

  /** Nothing more will come. */
  close(): void {
    for (const waiter of this.#waiters) waiter.settle(false);
  }
}
