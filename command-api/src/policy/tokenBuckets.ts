export interface RateLimit {
  /** Requests a second in the long run. */
  readonly perSecond: number;
  /** Requests at once after a rest. */
  readonly burst: number;
}

/** The key has used up its bucket: a request is accepted after this long, in milliseconds. */
export interface Exhausted {
  readonly retryAfterMs: number;
}

/** Below it, times differ only by how floating point rounds them. */
const slackMs = 0.001;
const fewestBeforeForgetting = 1_000;

/**
 * A token bucket for each key. In any span of t seconds a key has at most `burst + perSecond * t` requests accepted, and
 * one that waits as long as it was told is never refused.
 *
 * A bucket is kept as the one moment at which it will be full again (the generic cell rate algorithm): from then on it
 * is like one that was never used, and is forgotten.
 */
export class TokenBuckets {
  readonly #intervalMs: number;
  readonly #spanMs: number;
  readonly #fullAt = new Map<string, number>();
  #forgetAt = fewestBeforeForgetting;

  constructor({ perSecond, burst }: RateLimit) {
    this.#intervalMs = 1_000 / perSecond;
    this.#spanMs = burst * this.#intervalMs;
  }

  /** Buckets in memory: those that are not full, and at most as many again. */
  get size(): number {
    return this.#fullAt.size;
  }

  /** Takes a token, or tells how long to wait for one. `nowMs` is of a clock that never goes back. */
  take(key: string, nowMs: number): Exhausted | undefined {
    const fullAt = Math.max(this.#fullAt.get(key) ?? nowMs, nowMs) + this.#intervalMs;
    const retryAfterMs = fullAt - this.#spanMs - nowMs;
    if (retryAfterMs > slackMs) return { retryAfterMs };
    this.#fullAt.set(key, fullAt);
    if (this.#fullAt.size > this.#forgetAt) this.#forgetFull(nowMs);
    return undefined;
  }

  /** Often enough that memory is bounded, and so seldom that a request costs the same however many keys there are. */
  #forgetFull(nowMs: number): void {
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= nowMs) this.#fullAt.delete(key);
    this.#forgetAt = Math.max(fewestBeforeForgetting, 2 * this.#fullAt.size);
  }
}
