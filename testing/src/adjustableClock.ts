import type { Clock } from '@roomwire/shared/ports/clock';

/** A wall clock that begins with the true time and then stands still until it is moved. */
export class AdjustableClock implements Clock {
  private time = Date.now();

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return performance.now();
  }

  pass(milliseconds: number): void {
    this.time += milliseconds;
  }

  set(time: number): void {
    this.time = time;
  }
}
