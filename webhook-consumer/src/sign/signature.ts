import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';

/** The key of a secret as it was shown: `whsec_` and base64. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

/** [HOOK-SIGN-2] `webhook-signature` of Standard Webhooks, version 1: one signature for each key, with spaces between them. */
export const signature = (keys: readonly Buffer[], id: string, timestamp: string, body: Buffer): string => {
  const head = `${id}.${timestamp}.`;
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`)
    .join(' ');
};
