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
