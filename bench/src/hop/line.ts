import { Samples } from '../measure/samples.js';

/** What has come out at the far end, in which order, and how long it was on its way. */
export class Arrivals {
  received = 0;
  /** Messages that were not behind all earlier ones of their lane: late ones and second copies. */
  outOfOrder = 0;
  readonly latencies = new Samples();
  private readonly last: number[];
  private readonly receivedByLane: number[];
  private isTimed = false;
  private sampledSince = Number.POSITIVE_INFINITY;

  /** Lanes are told apart by the remainder of their numbers. */
  constructor(lanes: number) {
    this.last = new Array<number>(lanes).fill(Number.NEGATIVE_INFINITY);
    this.receivedByLane = new Array<number>(lanes).fill(0);
  }

  receivedOf(lane: number): number {
    return this.receivedByLane[lane] ?? 0;
  }

  /** From now on stamps are numbers, as they were given, or moments of the first lane. */
  expect(stamps: 'numbers' | 'moments'): void {
    this.isTimed = stamps === 'moments';
    this.last.fill(Number.NEGATIVE_INFINITY);
    this.sampleFrom(Number.POSITIVE_INFINITY);
  }

  /** Counts the latency of what is meant to be sent from this moment on. */
  sampleFrom(moment: number): void {
    this.latencies.clear();
    this.sampledSince = moment;
  }

  take(stamp: number, now: number): void {
    const lane = this.isTimed ? 0 : stamp % this.last.length;
    if (!(stamp > (this.last[lane] as number))) this.outOfOrder += 1;
    this.last[lane] = stamp;
    this.receivedByLane[lane] = this.receivedOf(lane) + 1;
    this.received += 1;
    if (this.isTimed && stamp >= this.sampledSince) this.latencies.record(now - stamp);
  }
}

/** One sender, whose messages keep their order. */
export interface Lane {
  readonly sent: number;
  /** Of those that were sent, how many are known to be stored. */
  readonly acknowledged: number;
  /** One message for each stamp, at once. */
  send(stamps: readonly number[]): void;
}

/** A way from senders to one receiver in the same process, whose clock both use. */
export interface Line {
  readonly lanes: readonly Lane[];
  readonly arrivals: Arrivals;
  /** Called when something was acknowledged, or has arrived. */
  onProgress: (() => void) | undefined;
  /** Throws when something has happened that makes the figures worthless. */
  check(): void;
}
