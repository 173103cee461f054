import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import type { Clock } from '@roomwire/shared/ports/clock';

/** The system's clock, which can be put forward. */
export class ShiftedClock implements Clock {
  private shift = 0;

  now(): number {
    return systemClock.now() + this.shift;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.shift;
  }

  forward(milliseconds: number): void {
    this.shift += milliseconds;
  }
}
