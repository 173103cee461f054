import type { Random } from '../primitives.js';
import { nextDelay, soonDelay, type Backoff, type RetryAfter } from './reconnect.js';

/** How long to wait before each attempt: what was well is back soon, what stays away is asked ever less often. */
export class Waits {
  private readonly backoff: Backoff;
  private readonly random: Random;
  private readonly now: () => number;
  private connectedAt: number | undefined;
  private count = 0;
  /** What is left of the early waits, and how many were taken. */
  private early: readonly number[] = [];
  private earlyTaken = 0;

  constructor(backoff: Backoff, random: Random, now: () => number) {
    this.backoff = backoff;
    this.random = random;
    this.now = now;
  }

  connected(): void {
    this.connectedAt = this.now();
    this.count = 0;
    this.early = [];
    this.earlyTaken = 0;
  }

  /** After a connection has ended, or an attempt has failed. */
  next({ pace }: RetryAfter): number {
    if (this.connectedAt !== undefined && this.now() - this.connectedAt >= this.backoff.wellMs)
      this.early = this.backoff.earlyMs;
    this.connectedAt = undefined;
    if (pace === 'backoff') this.early = [];
    this.count += 1;
    const early = this.takeEarly();
    if (this.count === 1 && pace === 'soon') return soonDelay(this.backoff, this.random);
    if (early === undefined) return nextDelay(this.count - this.earlyTaken, this.backoff, this.random);
    return this.count === 1 ? Math.round(early * this.random()) : early;
  }

  private takeEarly(): number | undefined {
    const [early, ...rest] = this.early;
    if (early === undefined) return undefined;
    this.early = rest;
    this.earlyTaken += 1;
    return early;
  }
}
