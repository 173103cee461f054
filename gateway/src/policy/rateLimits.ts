import { TokenBucket } from '@roomwire/shared/runtime/tokenBucket';

/**
 * At most `limit` events in any window, exactly: it keeps the time of each of the last `limit` ones.
 * Times come from a monotonic clock and do not go back.
 */
export class SlidingWindow {
  private readonly limit: number;
  private readonly windowMs: number;
  /** A ring, allocated with the first event, because most connections never have one. */
  private times: Float64Array | undefined;
  private next = 0;

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** Whether one more event now would exceed the limit. */
  isFull(now: number): boolean {
    const oldest = this.times?.[this.next];
    return oldest !== undefined && now - oldest < this.windowMs;
  }

  add(now: number): void {
    this.times ??= new Float64Array(this.limit).fill(Number.NEGATIVE_INFINITY);
    this.times[this.next] = now;
    this.next = (this.next + 1) % this.limit;
  }
}

/** Refused publishes allowed per second, as a multiple of the publish rate; beyond it publishes are rejected unread. */
const refusalsPerPublish = 4;

/**
 * [WS-PUB-6] Limits the accepted publishes of one connection in any second. Refused ones count in a window of their own,
 * because each publish to an absent topic costs a look-up.
 */
export class PublishRate {
  private readonly accepted: SlidingWindow;
  private readonly refused: SlidingWindow;

  constructor(perSecond: number) {
    this.accepted = new SlidingWindow(perSecond, 1_000);
    this.refused = new SlidingWindow(refusalsPerPublish * perSecond, 1_000);
  }

  isExceeded(now: number): boolean {
    return this.accepted.isFull(now) || this.refused.isFull(now);
  }

  countAccepted(now: number): void {
    this.accepted.add(now);
  }

  countRefused(now: number): void {
    this.refused.add(now);
  }
}

/** Burst size: the requests that become available in this time. */
const burstSeconds = 10;

/** [WS-CONN-10] A token bucket: `perSecond` requests, bursts of ten times as many; further requests wait. */
export const requestRate = (perSecond: number): TokenBucket =>
  new TokenBucket({ perSecond, burst: burstSeconds * perSecond });
