import type { Clock } from '@roomwire/shared/ports/clock';

/** Time that passes when it is told to. */
export class ManualClock implements Clock {
  private time = Date.UTC(2026, 0, 1);
  private elapsed = 0;

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

  /** What an operator, or NTP, does to the wall clock. */
  jump(milliseconds: number): void {
    this.time += milliseconds;
  }
}
