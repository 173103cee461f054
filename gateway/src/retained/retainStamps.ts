import type { Clock } from '@roomwire/shared/ports/clock';

const timeDigits = 9;

/**
 * Stamps by which gateways agree on which of two retained messages is the newer one: the time, and who made it. They rise,
 * also when the clock is set back, and each is later than all that this gateway has seen, so that clocks which differ
 * decide only between messages that are published at the same moment.
 */
export class RetainStamps {
  private readonly clock: Clock;
  private readonly maker: string;
  private last = 0;

  /** The maker's name must be its own. */
  constructor(clock: Clock, maker: string) {
    this.clock = clock;
    this.maker = maker;
  }

  next(): string {
    this.last = Math.max(this.clock.now(), this.last + 1);
    return `${this.last.toString(36).padStart(timeDigits, '0')}.${this.maker}`;
  }

  seen(stamp: string): void {
    const time = Number.parseInt(stamp.slice(0, timeDigits), 36);
    if (time > this.last) this.last = time;
  }
}
