export interface RateLimit {
  /** Refill rate: tokens per second. */
  readonly perSecond: number;
  /** Capacity of the bucket. */
  readonly burst: number;
}

/** Smaller differences of times are floating-point rounding errors. */
const slackMs = 0.001;

/**
 * A token bucket, kept as the one moment at which it will be full again (the generic cell rate algorithm).
 * Times are milliseconds of a clock that never goes back.
 */
export class TokenBucket {
  private readonly intervalMs: number;
  private readonly spanMs: number;
  private fullAt = Number.NEGATIVE_INFINITY;

  constructor({ perSecond, burst }: RateLimit) {
    this.intervalMs = 1_000 / perSecond;
    this.spanMs = burst * this.intervalMs;
  }

  /** Takes a token and returns 0 if one is available; otherwise takes none and returns the time until one is. */
  take(now: number): number {
    const fullAt = Math.max(this.fullAt, now) + this.intervalMs;
    const waitMs = fullAt - this.spanMs - now;
    if (waitMs > slackMs) return waitMs;
    this.fullAt = fullAt;
    return 0;
  }

  /** Reserves tokens and returns the time until they are available. */
  reserve(now: number, tokens = 1): number {
    this.fullAt = Math.max(this.fullAt, now) + tokens * this.intervalMs;
    return Math.max(0, this.fullAt - now - this.spanMs);
  }

  /** Whether the bucket is full, like an unused one. */
  isFull(now: number): boolean {
    return this.fullAt <= now;
  }
}
