import { Buffer } from 'node:buffer';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';

const timeDigits = 9;
const countDigits = 4;
const makerBytes = 12;

/**
 * Ids of messages, unique over all gateways and their restarts: the time, how many came before in the same millisecond,
 * and who made them. As text they sort by time, those of one gateway in the order in which they were made.
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
    // A clock that was set back must not make an id twice.
    if (now > this.last) this.begin(now);
    return this.time + (this.count++).toString(36).padStart(countDigits, '0') + this.maker;
  }

  private begin(time: number): void {
    this.last = time;
    this.time = time.toString(36).padStart(timeDigits, '0');
    this.count = 0;
  }
}
