import { Buffer } from 'node:buffer';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';
import { timeDigits } from '@roomwire/shared/wire/bus/messageId';

const makerBytes = 12;

/** Two base-36 digits each. A count is composed of two of them, because formatting a number would dominate the cost. */
const pairs = Array.from({ length: 36 * 36 }, (_, n) => n.toString(36).padStart(2, '0'));
/** Ids per millisecond; the count has four digits. */
const maxCount = pairs.length ** 2;

/**
 * Ids of messages, unique over all gateways and their restarts: the time, a count within the millisecond and the gateway.
 * As text they sort by time, those of one gateway in the order in which they were made.
 */
export class MessageIds {
  private readonly clock: Clock;
  private readonly maker: string;
  private last = -1;
  private time = '';
  private count = 0;

  constructor(clock: Clock, random: Random) {
    this.clock = clock;
    this.maker = `.${Buffer.from(random.bytes(makerBytes)).toString('base64url')}`;
  }

  next(): string {
    const now = this.clock.now();
    // Ids stay unique when the clock is set back.
    if (now > this.last) this.begin(now);
    else if (this.count === maxCount) this.begin(this.last + 1);
    const count = this.count++;
    return this.time + pairs[Math.floor(count / pairs.length)] + pairs[count % pairs.length] + this.maker;
  }

  private begin(time: number): void {
    this.last = time;
    this.time = time.toString(36).padStart(timeDigits, '0');
    this.count = 0;
  }
}
