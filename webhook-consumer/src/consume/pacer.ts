import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@roomwire/shared/ports/clock';
import { TokenBucket } from '@roomwire/shared/runtime/tokenBucket';

/** Lets so many pass a second, evenly; the others wait, first come, first served. */
export class Pacer {
  private readonly turns: TokenBucket;
  private readonly clock: Clock;

  constructor(perSecond: number, clock: Clock) {
    this.turns = new TokenBucket({ perSecond, burst: 1 });
    this.clock = clock;
  }

  async pass(): Promise<void> {
    const waitMs = this.turns.reserve(this.clock.monotonic());
    if (waitMs > 0) await pause(waitMs);
  }
}
