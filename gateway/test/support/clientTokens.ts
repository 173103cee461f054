import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';

export interface TokenKey {
  readonly record: { readonly keyId: string };
  readonly secret: string;
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A client token as a customer's backend makes it. */
export const clientToken = (
  { record, secret }: TokenKey,
  sub: string,
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): string => {
  const text = `${part({ alg: 'HS256', typ: 'JWT', kid: record.keyId, ...header })}.${part({ sub, ...claims })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
