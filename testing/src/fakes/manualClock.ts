import type { Clock } from '@roomwire/shared/ports/clock';

/** A clock that advances only when a test moves it. */
export class ManualClock implements Clock {
  private time: number;
  private elapsed = 0;

  constructor(time = Date.UTC(2026, 0, 1)) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.elapsed;
  }

  pass(milliseconds: number): void {
    this.time += milliseconds;
    this.elapsed += milliseconds;
  }

  /** Moves the wall clock alone, as an operator or NTP does. */
  set(time: number): void {
    this.time = time;
  }
}
