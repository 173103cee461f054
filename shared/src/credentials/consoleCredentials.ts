import type { Clock } from '../ports/clock.js';
import {
  createConsoleKeyReader,
  mintConsoleKey,
  type ConsoleKey,
  type ConsoleKeySecrets,
  type ReadConsoleKey,
} from './consoleKey.js';
import { ObserverKeys, type ObserverClaims } from './observerToken.js';
import type { SealingKeys } from './secretBox.js';

/** Makes what the console works with, and reads the API keys again. Gateways read the tokens. */
export interface ConsoleCredentials {
  mintKey(key: ConsoleKey): string;
  /** Times in milliseconds since 1970. */
  mintToken(claims: ObserverClaims, times: { readonly issuedAt: number; readonly expiresAt: number }): string;
  readonly readKey: ReadConsoleKey;
}

export const createConsoleCredentials = (
  sessions: ConsoleKeySecrets,
  signingKeys: SealingKeys,
  clock: Pick<Clock, 'now'>,
): ConsoleCredentials => {
  const observers = new ObserverKeys(signingKeys);
  return {
    mintKey: (key) => mintConsoleKey(sessions.secret, key),
    mintToken: (claims, { issuedAt, expiresAt }) =>
      observers.mint(claims, {
        issuedAt: Math.floor(issuedAt / 1_000),
        expiresAt: Math.floor(expiresAt / 1_000),
      }),
    readKey: createConsoleKeyReader(sessions, clock),
  };
};
