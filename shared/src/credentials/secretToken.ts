import { hash, timingSafeEqual } from 'node:crypto';
import { Buffer } from 'node:buffer';
import type { Random } from '../ports/random.js';
import { withChecksum } from './checksum.js';

/** Prefixes of the credentials that Roomwire itself hands out. */
export type TokenPrefix = 'ak_live' | 'at_live' | 'sk_live' | 'sk_sandbox';

export interface MintedToken {
  /** Public: `<prefix>_<id>`. */
  readonly keyId: string;
  /** Shown once: `<keyId>.<secret>`, the secret 256 random bits in base64url and the checksum of all before it. */
  readonly token: string;
  /** The stored hash of the secret. */
  readonly secretHash: string;
}

export const mintToken = (random: Random, prefix: TokenPrefix): MintedToken => {
  const keyId = `${prefix}_${Buffer.from(random.bytes(12)).toString('hex')}`;
  const token = withChecksum(`${keyId}.${Buffer.from(random.bytes(32)).toString('base64url')}`);
  return { keyId, token, secretHash: hashSecret(token.slice(keyId.length + 1)) };
};

export interface ParsedToken {
  readonly keyId: string;
  readonly secret: string;
}

const tokenPattern = /^((?:ak|at|sk)_(?:live|sandbox)_[A-Za-z0-9]{1,64})\.([A-Za-z0-9_-]{1,128})$/;

/** Undefined for a malformed token, which is refused without a look-up. */
export const parseToken = (text: string, prefix: TokenPrefix): ParsedToken | undefined => {
  const [, keyId, secret] = tokenPattern.exec(text) ?? [];
  if (keyId === undefined || secret === undefined || !keyId.startsWith(`${prefix}_`)) return undefined;
  return { keyId, secret };
};

/** A plain hash is enough: the secret has 256 random bits, so there is nothing to guess. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

const hashOfNothing = hashSecret('');

/** Constant time, also for an unknown key (`undefined`), which never matches. */
export const matchesSecret = (secret: string, secretHash: string | undefined): boolean => {
  const equal = timingSafeEqual(
    Buffer.from(hashSecret(secret), 'hex'),
    Buffer.from(secretHash ?? hashOfNothing, 'hex'),
  );
  return equal && secretHash !== undefined;
};

/** 300 bits: with the checksum a multiple of four characters, so that base64 needs no padding at the end. */
const webhookSecretCharacters = 50;

/** `whsec_` and a key in base64, as libraries for Standard Webhooks take it, with the checksum as its last characters. */
export const mintWebhookSecret = (random: Random): string => {
  const key = Buffer.from(random.bytes(39)).toString('base64').slice(0, webhookSecretCharacters);
  return withChecksum(`whsec_${key}`);
};
