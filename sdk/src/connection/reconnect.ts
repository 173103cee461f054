import { AuthenticationError, ConnectionError, type RoomwireError } from '../errors.js';
import type { Random } from '../primitives.js';

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

/** Wait after a planned end of a connection; the spread keeps clients from reconnecting all at once. */
export const soonDelay = (backoff: Backoff, random: Random): number =>
  Math.round(backoff.restartSpreadMs * random());

export interface RetryAfter {
  /** `soon` holds for the first attempt after a working connection; later ones back off in any case. */
  readonly pace: 'soon' | 'backoff';
  /** The token is spent: another attempt makes sense with another token only. */
  readonly tokenRefused: boolean;
}

export type RetryDecision = RetryAfter | 'stop';

const retry: RetryDecision = { pace: 'backoff', tokenRefused: false };

/** Codes that are not listed are network trouble or the server's limits (4000, 4002, 1013, 1006, …). */
const byCloseCode: ReadonlyMap<number, RetryDecision> = new Map<number, RetryDecision>([
  [1012, { pace: 'soon', tokenRefused: false }],
  [4001, { pace: 'backoff', tokenRefused: true }],
  [4003, { pace: 'soon', tokenRefused: true }],
]);

/** Any other failure is on the side of the server, and may pass. */
const byAuthenticationFailure: ReadonlyMap<string, RetryDecision> = new Map<string, RetryDecision>([
  ['access_denied', { pace: 'backoff', tokenRefused: true }],
  ['token_expired', { pace: 'soon', tokenRefused: true }],
]);

/** Whether and how to connect again after a connection has ended or an attempt has failed. */
export const retryDecision = (error: RoomwireError): RetryDecision => {
  if (error.error === 'unsupported_protocol') return 'stop';
  if (error instanceof AuthenticationError) return byAuthenticationFailure.get(error.error) ?? retry;
  if (error instanceof ConnectionError) return byCloseCode.get(error.closeCode ?? 0) ?? retry;
  return retry;
};
