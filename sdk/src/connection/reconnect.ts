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
  /** The random part of a wait, 0 to 1: 0.5 spreads a wait of 10 s over 5 to 10 s. */
  readonly jitter: number;
  /** After a planned restart of the server, or with a new token, clients reconnect within this time, in milliseconds. */
  readonly restartSpreadMs: number;
  /**
   * The first waits after the loss of a healthy connection, before those above, in milliseconds: the first wait is random, from 0 to the given one, the
   * others are exact. An empty list for none.
   */
  readonly earlyMs: readonly number[];
  /** How long a connection must have lasted to count as healthy, in milliseconds. */
  readonly wellMs: number;
}

type Growing = Pick<Backoff, 'baseMs' | 'multiplier' | 'maxMs' | 'jitter'>;

/** Wait after the `failures`-th failure in a row (1 for the first), in milliseconds. */
export const nextDelay = (failures: number, backoff: Growing, random: Random): number => {
  const full = Math.min(backoff.maxMs, backoff.baseMs * backoff.multiplier ** (failures - 1));
  return Math.round(full * (1 - backoff.jitter * random()));
};

/** Wait before a request is repeated that was refused for a reason that may pass, as `nextDelay`. */
export const requestDelay = (failures: number, random: Random): number =>
  nextDelay(failures, { baseMs: 1_000, multiplier: 2, maxMs: 30_000, jitter: 0.5 }, random);

/** Wait after a planned end of a connection; the spread keeps clients from reconnecting all at once. */
export const soonDelay = (backoff: Backoff, random: Random): number =>
  Math.round(backoff.restartSpreadMs * random());

export interface RetryAfter {
  /**
   * `early`: may be over at once. `soon`: is over at once for most, so the first attempts after a working connection are spread.
   * `backoff`: is not over soon, or the server has asked for patience.
   */
  readonly pace: 'early' | 'soon' | 'backoff';
  /** The token is spent: another attempt makes sense with another token only. */
  readonly tokenRefused: boolean;
}

export type RetryDecision = RetryAfter | 'stop';

const early: RetryDecision = { pace: 'early', tokenRefused: false };
const later: RetryDecision = { pace: 'backoff', tokenRefused: false };
const otherToken: RetryDecision = { pace: 'backoff', tokenRefused: true };

/** Codes that are not listed are network failures (1006, 1001, 4000, …). */
const byCloseCode: ReadonlyMap<number, RetryDecision> = new Map<number, RetryDecision>([
  [1012, { pace: 'soon', tokenRefused: false }],
  // The frames of the client, or its slowness, or a limit of the server: coming back at once meets the same.
  ...[1007, 1008, 1009, 1013, 4002].map((code): [number, RetryDecision] => [code, later]),
  [4001, otherToken],
  [4003, { pace: 'soon', tokenRefused: true }],
]);

/** Any other failure is on the side of the server, and may pass at once. */
const byAuthenticationFailure: ReadonlyMap<string, RetryDecision> = new Map<string, RetryDecision>([
  ...['access_denied', 'api_key_as_token', 'malformed_token', 'token_without_kid'].map(
    (name): [string, RetryDecision] => [name, otherToken],
  ),
  ['token_expired', { pace: 'soon', tokenRefused: true }],
  ['connection_limit_reached', later],
]);

/** Whether and how to connect again after a connection has ended or an attempt has failed. */
export const retryDecision = (error: RoomwireError): RetryDecision => {
  if (error.error === 'unsupported_protocol') return 'stop';
  if (error instanceof AuthenticationError) return byAuthenticationFailure.get(error.error) ?? early;
  // Somebody has closed it by hand: it may come back with the same token, and not at once.
  if (error instanceof ConnectionError && error.closeReason === 'kicked') return later;
  if (error instanceof ConnectionError) return byCloseCode.get(error.closeCode ?? 0) ?? early;
  return later;
};
