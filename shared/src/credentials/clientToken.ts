import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The claims of a client token. Not trustworthy before `verifyClientToken` has returned `valid`. */
export interface ClientToken {
  /** `kid`: the public id of the signing key, or of one that signs for observers of the console. */
  readonly kid: string;
  /** `sub`: the public id of the actor, or the name of an external one. */
  readonly subject: string;
  /** `exp`, Unix seconds; undefined for a token that does not expire. */
  readonly expiresAt: number | undefined;
  /** `nbf`, Unix seconds. */
  readonly notBefore: number | undefined;
  /** `iat`, Unix seconds; undefined where it is missing, or no number. */
  readonly issuedAt: number | undefined;
  /** The claim `roomwire`, as it stands there. */
  readonly roomwire: unknown;
  readonly hash: string;
  readonly signedText: string;
  readonly signature: string;
}

/** Why a text cannot be a client token. */
export type ClientTokenDefect =
  | 'no_token'
  | 'token_too_long'
  | 'no_jwt'
  | 'algorithm_unknown'
  | 'crit_unknown'
  | 'kid_missing'
  | 'kid_malformed'
  | 'sub_missing'
  | 'exp_malformed'
  | 'nbf_malformed';

/** A longer one is refused unread. */
export const maxClientTokenLength = 16_384;

/** The whole list: `none`, and whatever is verified with a public key, is no algorithm here. */
const hashes: ReadonlyMap<unknown, string> = new Map([
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
]);

const compactJwt = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Of a signing key, or of the key that signs for observers of the console. */
const keyIdPattern = /^(?:sk_(?:live|sandbox)_[A-Za-z0-9]{1,64}|console_[0-9a-f]{16})$/;

/** Written out, because `jose` costs 15 times as much an `auth`; the tests hold it to what `jose` accepts. */
export const parseClientToken = (text: string): ClientToken | ClientTokenDefect => {
  if (text.length > maxClientTokenLength) return 'token_too_long';
  if (!compactJwt.test(text)) return text === '' ? 'no_token' : 'no_jwt';
  const [head = '', body = '', signature = ''] = text.split('.');
  const [header, payload] = [jsonObject(head), jsonObject(body)];
  if (header === undefined || payload === undefined) return 'no_jwt';
  const { alg, kid, crit } = header;
  const { sub, exp, nbf, iat, roomwire } = payload;
  const hash = hashes.get(alg);
  if (hash === undefined) return 'algorithm_unknown';
  // Extensions that must be understood are not.
  if (crit !== undefined) return 'crit_unknown';
  if (kid === undefined) return 'kid_missing';
  if (typeof kid !== 'string' || !keyIdPattern.test(kid)) return 'kid_malformed';
  if (typeof sub !== 'string') return 'sub_missing';
  if (!isOptionalTime(exp)) return 'exp_malformed';
  if (!isOptionalTime(nbf)) return 'nbf_malformed';
  const issuedAt = isTime(iat) ? iat : undefined;
  const claims = { kid, subject: sub, expiresAt: exp, notBefore: nbf, issuedAt, roomwire };
  return { ...claims, hash, signedText: `${head}.${body}`, signature };
};

/** `secret`: as it was shown to the customer; its bytes are the key. `now`: milliseconds since 1970. */
export const verifyClientToken = (
  { hash, signedText, signature, expiresAt, notBefore }: ClientToken,
  secret: string,
  now: number,
): 'valid' | 'invalid' | 'early' | 'expired' => {
  const expected = Buffer.from(createHmac(hash, secret).update(signedText).digest('base64url'));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'invalid';
  if (notBefore !== undefined && notBefore * 1000 > now) return 'early';
  return expiresAt !== undefined && expiresAt * 1000 <= now ? 'expired' : 'valid';
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

const jsonObject = (part: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(part, 'base64url')));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // Neither text nor JSON.
  }
};

const isTime = (value: unknown): value is number => Number.isFinite(value);

const isOptionalTime = (value: unknown): value is number | undefined => value === undefined || isTime(value);
