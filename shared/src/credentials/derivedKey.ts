import { createHash, hkdfSync } from 'node:crypto';

/** Of every key, secret and derived key, in bytes. */
export const keyBytes = 32;

/** By HKDF-SHA-256 without a salt, so that other tools can derive it as well. */
export const derivedKey = (from: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', from, new Uint8Array(0), purpose, keyBytes));

/** Public: identifies a key of one kind without disclosing anything about it. */
export const keyIdOf = (kind: string, key: Uint8Array): string =>
  createHash('sha256').update(kind).update(key).digest('hex').slice(0, 16);
