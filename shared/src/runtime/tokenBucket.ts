export interface RateLimit {
  /** Tokens a second in the long run. */
  readonly perSecond: number;
  /** Tokens at once after a rest. */
  readonly burst: number;
}

/** Below it, times differ only by how floating point rounds them. */
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

  /** Takes a token where there is one: 0. Otherwise takes none, and returns how long to wait for one. */
  take(now: number): number {
    const fullAt = Math.max(this.fullAt, now) + this.intervalMs;
    const waitMs = fullAt - this.spanMs - now;
    if (waitMs > slackMs) return waitMs;
    this.fullAt = fullAt;
    return 0;
  }

  /** Takes a token in any case, and returns how long to wait until there is one for it. */
  reserve(now: number): number {
    this.fullAt = Math.max(this.fullAt, now) + this.intervalMs;
    return Math.max(0, this.fullAt - now - this.spanMs);
  }

  /** Whether it is like one that was never used. */
  isFull(now: number): boolean {
    return this.fullAt <= now;
  }
}
