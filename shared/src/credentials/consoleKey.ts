import type { ConsoleSession } from '../domain/consoleAccess.js';
import type { Role } from '../domain/role.js';
import type { Clock } from '../ports/clock.js';
import { derivedKey } from './derivedKey.js';
import { derivedSessionKeys, type SessionSecrets } from './sessionSecrets.js';
import { readSignedClaims, signClaims } from './signedClaims.js';

/** What an API key of the console stands for; signed, and kept nowhere. */
export interface ConsoleKey {
  readonly projectId: string;
  readonly role: Role;
  readonly session: ConsoleSession;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const prefix = 'ak_console_';
const purpose = 'roomwire console keys';

export const looksLikeConsoleKey = (credential: string): boolean => credential.startsWith(prefix);

/** Signed with what only command-apis can derive, so that no other service can make an API key. */
export const mintConsoleKey = (sessionSecret: Uint8Array, key: ConsoleKey): string =>
  prefix + signClaims(derivedKey(sessionSecret, purpose), key);

/** Undefined for anything but a key that is signed by one of the secrets and has not expired. */
export type ReadConsoleKey = (credential: string) => ConsoleKey | undefined;

export const createConsoleKeyReader = (
  secrets: SessionSecrets,
  clock: Pick<Clock, 'now'>,
): ReadConsoleKey => {
  const keys = derivedSessionKeys(secrets, purpose, clock);
  return (credential) => {
    const claims = readSignedClaims(keys(), credential.slice(prefix.length)) as ConsoleKey | undefined;
    return claims !== undefined && claims.expiresAt > clock.now() ? claims : undefined;
  };
};
