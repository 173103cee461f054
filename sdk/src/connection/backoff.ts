import type { Random } from '../environment.js';

/** How long to wait before the next attempt. */
export interface Backoff {
  /** Wait after the first failure, in milliseconds. */
  readonly baseMs: number;
  /** Factor from one wait to the next. */
  readonly multiplier: number;
  /** No wait is longer, in milliseconds. */
  readonly maxMs: number;
  /** Part of a wait, 0 to 1, that chance may take away: 0.5 spreads a wait of 10 s over 5 to 10 s. */
  readonly jitter: number;
  /** After a planned restart of the server, or with a fresh token, clients come back within this time, in milliseconds. */
  readonly restartSpreadMs: number;
}

/** Wait after the `failures`-th failure in a row (1 for the first), in milliseconds. */
export const nextDelay = (failures: number, backoff: Backoff, random: Random): number => {
  const full = Math.min(backoff.maxMs, backoff.baseMs * backoff.multiplier ** (failures - 1));
  return Math.round(full * (1 - backoff.jitter * random()));
};

/** Wait after the end of a connection that nobody is to blame for; the spread keeps all clients from coming at once. */
export const soonDelay = (backoff: Backoff, random: Random): number =>
  Math.round(backoff.restartSpreadMs * random());
