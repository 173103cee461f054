import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Role } from '../domain/role.js';
import type { Clock } from '../ports/clock.js';
import type { Random } from '../ports/random.js';
import { limitTable } from '../wire/limits/limitTable.js';
import { derivedKey } from './derivedKey.js';
import { derivedSessionKeys, type SessionSecrets } from './sessionSecrets.js';
import type { NewSession } from './sessionToken.js';
import { readSignedClaims, signClaims } from './signedClaims.js';

const purpose = 'roomwire sign-in codes';

/** A list, because a code is part of a link that is printed: the shorter the better. */
type Claims = readonly [
  expiresAt: number,
  nonce: string,
  subject: string,
  isOperator: 0 | 1,
  organizationIds: readonly string[],
  roles?: Readonly<Record<string, Role>>,
];

/** A code that opens a session, once, within a quarter of an hour. Whoever has the session secret can make one. */
export const mintSignInCode = (
  sessionSecret: Uint8Array,
  { subject, isOperator, organizationIds, roles }: NewSession,
  clock: Pick<Clock, 'now'>,
  random: Pick<Random, 'bytes'>,
): string => {
  const expiresAt = Math.floor((clock.now() + limitTable.signInCodeMs.value) / 1_000);
  const nonce = Buffer.from(random.bytes(12)).toString('base64url');
  const claims: Claims = [expiresAt, nonce, subject, isOperator ? 1 : 0, organizationIds];
  return signClaims(derivedKey(sessionSecret, purpose), roles ? [...claims, roles] : claims);
};

export interface SignInCode {
  /** SHA-256 of the code, hex: names its use, and says nothing of it. */
  readonly hash: string;
  readonly session: NewSession;
}

/** Undefined for anything but a code that is signed by one of the secrets and has not expired. */
export type ReadSignInCode = (code: string) => SignInCode | undefined;

export const createSignInCodeReader = (
  secrets: SessionSecrets,
  clock: Pick<Clock, 'now'>,
): ReadSignInCode => {
  const keys = derivedSessionKeys(secrets, purpose, clock);
  return (code) => {
    const claims = readSignedClaims(keys(), code) as Claims | undefined;
    if (claims === undefined) return undefined;
    const [expiresAt, , subject, isOperator, organizationIds, roles] = claims;
    if (expiresAt * 1_000 <= clock.now()) return undefined;
    return {
      hash: createHash('sha256').update(code).digest('hex'),
      session: { subject, isOperator: isOperator === 1, organizationIds, ...(roles && { roles }) },
    };
  };
};
