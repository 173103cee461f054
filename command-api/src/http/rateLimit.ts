import type { Clock } from '@roomwire/shared/ports/clock';
import { TokenBucket, type RateLimit } from '@roomwire/shared/runtime/tokenBucket';
import { applicationError } from './errors.js';

export const tooManyRequestsMessage = 'Too many requests, please slow down';

/** Lets a caller's request through, or throws the `ErrorAnswer` that says when the next one is accepted. */
export type LimitRate = (principal: string, at: { id: string; now: string }) => void;

/** Each API key and each session subject has a bucket of its own, in this process. `perSecond` 0 lets everything through. */
export const createRateLimiter = (limit: RateLimit, clock: Clock): LimitRate => {
  if (limit.perSecond === 0) return () => undefined;
  const buckets = new TokenBuckets(limit);
  return (principal, at) => {
    const waitMs = buckets.take(principal, clock.monotonic());
    if (waitMs === 0) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    throw applicationError(429, tooManyRequestsMessage, at, { 'Retry-After': `${seconds}` });
  };
};

const fewestBeforeForgetting = 1_000;

/**
 * A token bucket for each key. In any span of t seconds a key has at most `burst + perSecond * t` requests accepted, and a
 * client that waits as long as it was told is never throttled. Buckets that are full again are forgotten.
 */
export class TokenBuckets {
  private readonly limit: RateLimit;
  private readonly buckets = new Map<string, TokenBucket>();
  private forgetAt = fewestBeforeForgetting;

  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  /** Buckets in memory: those that are not full, and at most as many again. */
  get size(): number {
    return this.buckets.size;
  }

  /** Takes a token: 0. Otherwise returns how long to wait for one, in milliseconds. */
  take(key: string, now: number): number {
    let bucket = this.buckets.get(key);
    if (bucket === undefined) this.buckets.set(key, (bucket = new TokenBucket(this.limit)));
    const waitMs = bucket.take(now);
    if (this.buckets.size > this.forgetAt) this.forgetFull(now);
    return waitMs;
  }

  /** Often enough that memory is bounded, and so seldom that a request costs the same however many keys there are. */
  private forgetFull(now: number): void {
    for (const [key, bucket] of this.buckets) if (bucket.isFull(now)) this.buckets.delete(key);
    this.forgetAt = Math.max(fewestBeforeForgetting, 2 * this.buckets.size);
  }
}
