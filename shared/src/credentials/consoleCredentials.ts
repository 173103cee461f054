import type { Clock } from '../ports/clock.js';
import {
  createConsoleKeyReader,
  mintConsoleKey,
  type ConsoleKey,
  type ReadConsoleKey,
} from './consoleKey.js';
import { ObserverKeys, type ObserverClaims } from './observerToken.js';
import type { SealingKeys } from './secretBox.js';
import type { SessionSecrets } from './sessionSecrets.js';
import { mintSessionToken, type NewSession } from './sessionToken.js';
import { createSignInCodeReader, type ReadSignInCode } from './signInCode.js';

/** Makes what the console works with, and reads the codes and API keys again. Gateways read the tokens. */
export interface ConsoleCredentials {
  mintKey(key: ConsoleKey): string;
  /** Times in milliseconds since 1970. */
  mintToken(claims: ObserverClaims, times: { readonly issuedAt: number; readonly expiresAt: number }): string;
  readonly readKey: ReadConsoleKey;
  readonly readCode: ReadSignInCode;
  /** For whom a code has opened it. */
  mintSession(session: NewSession, lifetimeMs: number): Promise<string>;
}

export const createConsoleCredentials = (
  sessions: SessionSecrets,
  signingKeys: SealingKeys,
  clock: Clock,
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
    readCode: createSignInCodeReader(sessions, clock),
    mintSession: (session, lifetimeMs) =>
      mintSessionToken(sessions.secret, session, Math.floor(lifetimeMs / 1_000), clock),
  };
};
