import { createHmac } from 'node:crypto';

export interface TokenOptions {
  /** How long it holds, in seconds; without an end by default. */
  readonly seconds?: number;
  /** How long ago it was signed, in seconds; now by default. */
  readonly age?: number;
  /** Claims besides. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Replaces fields of the header; null takes one away. */
  readonly header?: Readonly<Record<string, unknown>>;
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A client token of an actor, as a customer's backend signs one; `signingKey` is `<keyId>.<secret>`. */
export const clientToken = (
  signingKey: string,
  sub: string,
  nowMs: number,
  { seconds, age = 0, claims = {}, header = {} }: TokenOptions,
): string => {
  const [kid = '', secret = ''] = signingKey.split('.');
  const head = withoutNulls({ alg: 'HS256', typ: 'JWT', kid, ...header });
  // With decimals, so that a second is one.
  const nowSeconds = nowMs / 1_000;
  const exp = seconds === undefined ? undefined : nowSeconds + seconds;
  const text = `${part(head)}.${part({ sub, iat: nowSeconds - age, exp, ...claims })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};

const withoutNulls = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
