import type { ConsoleSession } from '../domain/consoleAccess.js';
import type { Role } from '../domain/role.js';
import type { Clock } from '../ports/clock.js';
import { derivedKey } from './derivedKey.js';
import type { PreviousSecret } from './sessionToken.js';
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

/** Only command-apis know what it is derived from, so that no other service can make an API key. */
const keyOf = (sessionSecret: Uint8Array): Uint8Array => derivedKey(sessionSecret, 'roomwire console keys');

export const looksLikeConsoleKey = (credential: string): boolean => credential.startsWith(prefix);

export const mintConsoleKey = (sessionSecret: Uint8Array, key: ConsoleKey): string =>
  prefix + signClaims(keyOf(sessionSecret), key);

export interface ConsoleKeySecrets {
  readonly secret: Uint8Array;
  readonly previousSecrets?: readonly PreviousSecret[];
}

/** Undefined for anything but a key that is signed by one of the secrets and has not expired. */
export type ReadConsoleKey = (credential: string) => ConsoleKey | undefined;

export const createConsoleKeyReader = (
  { secret, previousSecrets = [] }: ConsoleKeySecrets,
  clock: Pick<Clock, 'now'>,
): ReadConsoleKey => {
  const secrets = [{ secret, until: Number.POSITIVE_INFINITY }, ...previousSecrets];
  const keys = secrets.map(({ secret: from, until = Number.POSITIVE_INFINITY }) => ({
    key: keyOf(from),
    until,
  }));
  return (credential) => {
    const now = clock.now();
    const valid = keys.filter(({ until }) => until > now).map(({ key }) => key);
    const claims = readSignedClaims(valid, credential.slice(prefix.length)) as ConsoleKey | undefined;
    return claims !== undefined && claims.expiresAt > now ? claims : undefined;
  };
};
