/**
 * At most `limit` events in any window, exactly: it keeps the time of each of the last `limit` ones.
 * Times come from a monotonic clock and do not go back.
 */
export class SlidingWindow {
  private readonly limit: number;
  private readonly windowMs: number;
  /** A ring; not made before the first event, because most connections never have one. */
  private times: Float64Array | undefined;
  private next = 0;

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** Whether one more now would be too many. */
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

/** Of which as many are allowed at once as come back in ten seconds. */
const burstMs = 10_000;

/**
 * So many things a second, and ten times as many at once. Keeps one number, whatever the rate: when all that was taken will
 * have come back. Times are milliseconds of a monotonic clock.
 */
export class Allowance {
  private readonly eachMs: number;
  private backAt = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number) {
    this.eachMs = 1_000 / perSecond;
  }

  /** Takes one. How long it has to wait, 0 for not at all. */
  take(now: number): number {
    this.backAt = Math.max(this.backAt, now) + this.eachMs;
    return Math.max(0, this.backAt - now - burstMs);
  }
}
