import type { Clock } from '../ports/clock.js';
import { derivedKey } from './derivedKey.js';

/** The secret that signs sessions, and those before it. */
export interface SessionSecrets {
  /** 32 bytes. */
  readonly secret: Uint8Array;
  /** They still verify. */
  readonly previousSecrets?: readonly PreviousSecret[];
}

export interface PreviousSecret {
  readonly secret: Uint8Array;
  /** Milliseconds since 1970 at which it ends; absent where the configuration ends it. */
  readonly until?: number;
}

/** What the secrets that are in force verify for one purpose; only command-apis know them. */
export const derivedSessionKeys = (
  { secret, previousSecrets = [] }: SessionSecrets,
  purpose: string,
  clock: Pick<Clock, 'now'>,
): (() => readonly Uint8Array[]) => {
  const all: readonly PreviousSecret[] = [{ secret }, ...previousSecrets];
  const keys = all.map(({ secret: from, until = Number.POSITIVE_INFINITY }) => ({
    ...{ key: derivedKey(from, purpose), until },
  }));
  return () => keys.filter(({ until }) => until > clock.now()).map(({ key }) => key);
};
