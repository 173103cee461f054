import { Buffer } from 'node:buffer';
import type { RetainedMessage, RetainedMeta } from '@roomwire/shared/wire/bus/liveMessage';
import { binaryFrame } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { Clock } from '@roomwire/shared/ports/clock';

export interface RetainedValue extends RetainedMeta {
  readonly projectId: string;
  readonly publisher: string;
  readonly filters: ReadonlySet<string>;
  /** The complete WebSocket frame. */
  readonly frame: Buffer;
}

/** Measured memory overhead per value, in bytes. */
const overheadBytes = 800;

/** The last value of each topic, within a budget: the least recently used are evicted first. */
export class RetainedValues {
  dropped = 0;
  private readonly budget: number;
  /** By internal topic, the least recently used first. */
  private readonly values = new Map<string, RetainedValue>();
  private used = 0;

  constructor(budgetBytes: number) {
    this.budget = budgetBytes;
  }

  get size(): number {
    return this.values.size;
  }

  /** Bytes used of the budget. */
  get bytes(): number {
    return this.used;
  }

  /** Returns false if the topic already has this value or a newer one. */
  keep({ topic, projectId, publisher, filters, body, retention }: RetainedMessage): boolean {
    const former = this.values.get(topic);
    if (former !== undefined && former.stamp >= retention.stamp) return false;
    const value = { ...retention, projectId, publisher, filters: new Set(filters), frame: ownFrame(body) };
    this.remove(topic);
    this.values.set(topic, value);
    this.used += sizeOf(topic, value);
    this.makeRoom();
    return true;
  }

  /** Counts as a use. */
  get(topic: string): RetainedValue | undefined {
    const value = this.values.get(topic);
    if (value === undefined) return undefined;
    this.values.delete(topic);
    this.values.set(topic, value);
    return value;
  }

  removeWhere(isGone: (value: RetainedValue) => boolean): void {
    for (const [topic, value] of this.values) if (isGone(value)) this.remove(topic);
  }

  private makeRoom(): void {
    for (const topic of this.values.keys()) {
      if (this.used <= this.budget) return;
      this.remove(topic);
      this.dropped++;
    }
  }

  private remove(topic: string): void {
    const value = this.values.get(topic);
    if (value === undefined) return;
    this.values.delete(topic);
    this.used -= sizeOf(topic, value);
  }
}

/** A copy: a slice would keep the whole buffer alive. */
const ownFrame = (body: Uint8Array): Buffer => {
  const frame = binaryFrame(body);
  const own = Buffer.allocUnsafeSlow(frame.length);
  own.set(frame);
  return own;
};

const sizeOf = (topic: string, { frame, filters }: RetainedValue): number => {
  let texts = topic.length;
  for (const filter of filters) texts += filter.length;
  return overheadBytes + frame.length + 2 * texts;
};

const timeDigits = 9;

/**
 * Stamps by which gateways agree on which of two retained messages is newer: the time and the gateway. They increase, also
 * when the clock is set back, and exceed every stamp that this gateway has received, so that clock skew decides only between
 * concurrent messages.
 */
export class RetainStamps {
  private readonly clock: Clock;
  private readonly maker: string;
  private last = 0;

  /** `maker` must be unique among gateways. */
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
