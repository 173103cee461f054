import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Claims as `<JSON in base64url>.<HMAC-SHA-256 in base64url>`. The key must sign nothing else. */
export const signClaims = (key: Uint8Array, claims: unknown): string => {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${payload}.${signatureOf(key, payload)}`;
};

const signedPattern = /^([\w-]{1,8192})\.([\w-]{43})$/;

/** What one of the keys has signed, as it was given to `signClaims`; undefined for anything else. */
export const readSignedClaims = (keys: readonly Uint8Array[], text: string): unknown => {
  const [, payload = '', signature = ''] = signedPattern.exec(text) ?? [];
  if (payload === '') return undefined;
  const given = Buffer.from(signature);
  const isSigned = keys.some((key) => timingSafeEqual(given, Buffer.from(signatureOf(key, payload))));
  return isSigned ? (JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as unknown) : undefined;
};

const signatureOf = (key: Uint8Array, payload: string): string =>
  createHmac('sha256', key).update(payload).digest('base64url');
