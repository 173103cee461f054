import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { derivedKey, keyBytes, keyIdOf } from './derivedKey.js';
import type { MasterKeys } from './secretBox.js';

/** Keys of the audit chains, 32 bytes each. */
export interface AuditKeys {
  readonly current: Uint8Array;
  /** Those that only verify. */
  readonly previous: readonly Uint8Array[];
}

/** Whoever has it can prove events, and can neither open secrets nor mint sessions. */
export const auditKeyOf = (masterKey: Uint8Array): Uint8Array => derivedKey(masterKey, 'roomwire audit');

export const auditKeysOf = ({ current, previous = [] }: MasterKeys): AuditKeys => ({
  current: auditKeyOf(current),
  previous: previous.map(auditKeyOf),
});

/** Public: identifies an audit key without disclosing anything about it. */
export const auditKeyIdOf = (key: Uint8Array): string => keyIdOf('roomwire audit key', key);

/** What stands before the 32 bytes of an Ed25519 key in DER. */
const privateKeyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicKeyPrefix = Buffer.from('302a300506032b6570032100', 'hex');

const signingKeyOf = (auditKey: Uint8Array) =>
  createPrivateKey({
    key: Buffer.concat([privateKeyPrefix, derivedKey(auditKey, 'roomwire export signature')]),
    ...{ format: 'der', type: 'pkcs8' },
  });

/** The Ed25519 key by which signatures under an audit key are verified, 32 bytes in base64. */
export const publicKeyOf = (auditKey: Uint8Array): string =>
  createPublicKey(signingKeyOf(auditKey))
    .export({ format: 'der', type: 'spki' })
    .subarray(publicKeyPrefix.length)
    .toString('base64');

/** In base64. */
export const signText = (auditKey: Uint8Array, text: string): string =>
  sign(null, Buffer.from(text, 'utf8'), signingKeyOf(auditKey)).toString('base64');

/** False also for a public key or a signature that is none. */
export const isSignedText = (publicKey: string, text: string, signature: string): boolean => {
  const raw = Buffer.from(publicKey, 'base64');
  if (raw.length !== keyBytes) return false;
  const key = createPublicKey({
    key: Buffer.concat([publicKeyPrefix, raw]),
    ...{ format: 'der', type: 'spki' },
  });
  return verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64'));
};
