import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';

type Claims = Readonly<Record<string, unknown>>;

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const signed = (header: Claims, claims: Claims, secret: string, hash = 'sha256'): string => {
  const text = `${part(header)}.${part(claims)}`;
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
};

export interface TokenKey {
  readonly record: { readonly keyId: string };
  readonly secret: string;
}

/** A client token for a subject; `header` replaces what a customer's backend would write. */
export const clientToken = (
  { record, secret }: TokenKey,
  sub: string,
  claims: Claims = {},
  header: Claims = {},
): string => signed({ alg: 'HS256', typ: 'JWT', kid: record.keyId, ...header }, { sub, ...claims }, secret);

/** A client token as a customer's backend makes it from a signing key, which is shown as `<keyId>.<secret>`. */
export const clientTokenOf = (
  signingKey: string,
  claims: Claims,
  alg: 'HS256' | 'HS384' | 'HS512' = 'HS256',
): string => {
  const [kid, secret = ''] = signingKey.split('.');
  return signed({ alg, typ: 'JWT', kid }, claims, secret, alg.replace('HS', 'sha'));
};
