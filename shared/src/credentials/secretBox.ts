import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealedSecret } from '../domain/signingKey.js';
import { derivedKey, keyBytes, keyIdOf } from './derivedKey.js';

/** Keeps secrets under a key, by AES-256-GCM. */
export interface SecretBox {
  /** Id of the key that seals. */
  readonly currentKeyId: string;
  /** Seals under the current key, with a random initialization vector. Opens only with the same binding. */
  seal(plain: string, boundTo: string): SealedSecret;
  /** Throws `SecretNotOpened`. */
  open(sealed: SealedSecret, boundTo: string): string;
}

/** Master keys, or keys that are derived from them. */
export interface SealingKeys {
  /** 32 bytes. */
  readonly current: Uint8Array;
  /** Those that only open. */
  readonly previous?: readonly Uint8Array[];
}

export type MasterKeys = SealingKeys;

/** What a derived key opens: a service that has one can open nothing else. */
const keyPurposes = {
  signingKeys: 'roomwire signing keys',
  webhookSecrets: 'roomwire webhook secrets',
};
export type KeyPurpose = keyof typeof keyPurposes;

export const deriveKey = (masterKey: Uint8Array, purpose: KeyPurpose): Uint8Array =>
  derivedKey(masterKey, keyPurposes[purpose]);

/** Those that seal and open for one purpose. The master keys themselves open what was sealed before there were derived ones. */
export const deriveKeys = ({ current, previous = [] }: MasterKeys, purpose: KeyPurpose): SealingKeys => ({
  current: deriveKey(current, purpose),
  previous: [...previous.map((key) => deriveKey(key, purpose)), current, ...previous],
});

export type NotOpenedReason = 'unknown_master_key' | 'not_authentic';

/** A sealed secret that this box cannot open. Says which master key it needs, and nothing that is secret. */
export class SecretNotOpened extends Error {
  override readonly name = 'SecretNotOpened';
  readonly reason: NotOpenedReason;
  readonly masterKeyId: string;

  constructor(reason: NotOpenedReason, masterKeyId: string, options?: ErrorOptions) {
    super(messages[reason](masterKeyId), options);
    this.reason = reason;
    this.masterKeyId = masterKeyId;
  }
}

const messages: { readonly [R in NotOpenedReason]: (masterKeyId: string) => string } = {
  unknown_master_key: (id) => `A secret is sealed under the key ${id}, which is not configured`,
  not_authentic: (id) => `A secret that names the key ${id} was changed, or belongs to something else`,
};

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Throws a `RangeError` for a key that has not 32 bytes. */
export const createSecretBox = ({ current, previous = [] }: SealingKeys): SecretBox => {
  const keys = new Map([...previous, current].map((key) => [sealingKeyIdOf(key), Uint8Array.from(key)]));
  const currentKeyId = sealingKeyIdOf(current);
  const currentKey = Uint8Array.from(current);
  return {
    currentKeyId,
    seal: (plain, boundTo) => ({ masterKeyId: currentKeyId, ...encrypt(currentKey, plain, boundTo) }),
    open(sealed, boundTo) {
      const key = keys.get(sealed.masterKeyId);
      if (key === undefined) throw new SecretNotOpened('unknown_master_key', sealed.masterKeyId);
      try {
        return decrypt(key, sealed, boundTo);
      } catch (cause) {
        throw new SecretNotOpened('not_authentic', sealed.masterKeyId, { cause });
      }
    },
  };
};

/** Public: identifies a key without disclosing anything about it. */
export const sealingKeyIdOf = (key: Uint8Array): string => {
  if (key.length !== keyBytes) throw new RangeError(`A key has ${keyBytes} bytes`);
  return keyIdOf('roomwire master key', key);
};

const encrypt = (key: Uint8Array, plain: string, boundTo: string): Omit<SealedSecret, 'masterKeyId'> => {
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, key, iv, { authTagLength: tagBytes });
  sealing.setAAD(Buffer.from(boundTo, 'utf8'));
  const ciphertext = Buffer.concat([sealing.update(plain, 'utf8'), sealing.final()]);
  return {
    iv: iv.toString('base64url'),
    ciphertext: ciphertext.toString('base64url'),
    tag: sealing.getAuthTag().toString('base64url'),
  };
};

const decrypt = (key: Uint8Array, sealed: SealedSecret, boundTo: string): string => {
  const iv = Buffer.from(sealed.iv, 'base64url');
  const opening = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes });
  opening.setAAD(Buffer.from(boundTo, 'utf8'));
  opening.setAuthTag(Buffer.from(sealed.tag, 'base64url'));
  const plain = opening.update(Buffer.from(sealed.ciphertext, 'base64url'));
  return Buffer.concat([plain, opening.final()]).toString('utf8');
};
