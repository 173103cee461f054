import { AuthenticationError, ConnectionError, type RoomwireError } from '../errors.js';

export interface Retry {
  /** `soon` holds for the first attempt after a working connection; later ones back off in any case. */
  readonly pace: 'soon' | 'backoff';
  /** The token is spent: another attempt makes sense with another token only. */
  readonly tokenRefused: boolean;
}

export type Verdict = Retry | 'stop';

const retry: Verdict = { pace: 'backoff', tokenRefused: false };

/** Codes that are not listed are network trouble or the server's limits (4000, 4002, 1013, 1006, …). */
const byCloseCode: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  [1012, { pace: 'soon', tokenRefused: false }],
  [4001, { pace: 'backoff', tokenRefused: true }],
  [4003, { pace: 'soon', tokenRefused: true }],
]);

/** What is not listed is the server's trouble, and may pass. */
const byAuthenticationFailure: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ['access_denied', { pace: 'backoff', tokenRefused: true }],
  ['token_expired', { pace: 'soon', tokenRefused: true }],
]);

/** What the end of a connection, or a failed attempt at one, means for the next. */
export const verdictOn = (error: RoomwireError): Verdict => {
  if (error.error === 'unsupported_protocol') return 'stop';
  if (error instanceof AuthenticationError) return byAuthenticationFailure.get(error.error) ?? retry;
  if (error instanceof ConnectionError) return byCloseCode.get(error.closeCode ?? 0) ?? retry;
  return retry;
};
