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
