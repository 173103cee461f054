import { Buffer } from 'node:buffer';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';
import { countDigits, markOf, timeDigits } from '@roomwire/shared/wire/bus/messageId';

const gatewayBytes = 12;
/** Of one gateway: enough that two connections of an actor never have the same. */
const connectionBytes = 4;

/** Two base-36 digits each. A count is composed of two of them, because formatting a number would dominate the cost. */
const pairs = Array.from({ length: 36 * 36 }, (_, n) => n.toString(36).padStart(countDigits / 2, '0'));
/** Ids per millisecond. */
const maxCount = pairs.length ** 2;

/**
 * Makes ids of messages, unique over all gateways and their restarts; see `messageId.ts`. As text they sort by time, those of one gateway in the
 * order in which they were made.
 */
export class MessageIds {
  private readonly clock: Clock;
  private readonly random: Pick<Random, 'bytes'>;
  private readonly gateway: string;
  private last = -1;
  private time = '';
  private count = 0;

  constructor(clock: Clock, random: Pick<Random, 'bytes'>) {
    this.clock = clock;
    this.random = random;
    this.gateway = this.name(gatewayBytes);
  }

  /** The name of one more connection, which is in the ids of what is published by it. */
  nameConnection(): string {
    return `${this.gateway}${markOf(this.name(connectionBytes))}`;
  }

  /** `mark`: that of the publisher's connection, made once; by default that of the gateway alone. */
  next(mark = markOf(this.gateway)): string {
    const now = this.clock.now();
    // Ids stay unique when the clock is set back.
    if (now > this.last) this.begin(now);
    else if (this.count === maxCount) this.begin(this.last + 1);
    const count = this.count++;
    return this.time + pairs[Math.floor(count / pairs.length)] + pairs[count % pairs.length] + mark;
  }

  private name(bytes: number): string {
    return Buffer.from(this.random.bytes(bytes)).toString('base64url');
  }

  private begin(time: number): void {
    this.last = time;
    this.time = time.toString(36).padStart(timeDigits, '0');
    this.count = 0;
  }
}
