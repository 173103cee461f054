import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { maxFrameBytes } from '@roomwire/shared/wire/protocol/limits';
import { requestBody } from '@roomwire/shared/wire/webhooks/requestBody';
import { SecretNotOpened } from '@roomwire/shared/credentials/secretBox';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { AttemptResult, MakeAttempt } from './attempt.js';
import type { AssertOwned } from './eventOwners.js';

/** An attempt that has ended. */
export interface Posted {
  readonly result: AttemptResult;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly durationMs: number;
  /** Of the body; 0 when none was made. */
  readonly requestBytes: number;
}

/** Makes one attempt of a call. Rejects where it could not be made for reasons of our own. */
export type Post = (call: WebhookCall) => Promise<Posted>;

/** The keys that a project's calls are signed with. */
export type KeysOf = (projectId: string) => Promise<readonly Buffer[]>;

export interface PostDeps {
  readonly attempt: MakeAttempt;
  readonly assertOwned: AssertOwned;
  readonly keysOf: KeysOf;
  readonly clock: Clock;
}

export const createPost =
  ({ attempt, assertOwned, keysOf, clock }: PostDeps): Post =>
  async (call) => {
    const began = clock.monotonic();
    const ended = (result: AttemptResult, requestBytes: number): Posted => ({
      ...{ result, requestBytes, endedAt: clock.now() },
      durationMs: clock.monotonic() - began,
    });
    await assertOwned(call);
    const keys = await keysOf(call.projectId).catch(unsignable);
    if (keys === undefined) return ended(cannotBeSigned, 0);
    const body = Buffer.from(requestBody(call));
    const own = ownHeaders(call, keys, Math.floor(clock.now() / 1_000), body);
    const headers = requestHeaders(call, own);
    // More than a frame holds cannot be sent on.
    const answerBytes = call.kind === 'hydration' ? maxFrameBytes : 0;
    const result = await attempt({ url: call.url, headers, body, answerBytes });
    return ended(result, body.length);
  };

const cannotBeSigned: AttemptResult = {
  kind: 'unreachable',
  isTimeout: false,
  reason: 'The call could not be signed: no master key opens the webhook secret',
};

/** Receivers reject an unsigned call; as a dead letter it can be redriven. */
const unsignable = (error: unknown): undefined => {
  if (!(error instanceof SecretNotOpened)) throw error;
};

const ownHeaders = (
  { callId }: WebhookCall,
  keys: readonly Buffer[],
  timestamp: number,
  body: Buffer,
): OwnHeaders => {
  const signed = signature(keys, callId, String(timestamp), body);
  return {
    'content-type': 'application/json',
    'user-agent': 'Roomwire',
    'webhook-id': callId,
    'webhook-timestamp': String(timestamp),
    ...(keys.length === 0 ? {} : { 'webhook-signature': signed }),
  };
};

/** [HOOK-SIGN-1] What Roomwire itself says about a call; nothing that is configured takes its place. */
export interface OwnHeaders {
  readonly 'content-type': 'application/json';
  readonly 'user-agent': 'Roomwire';
  /** The same on each attempt. */
  readonly 'webhook-id': string;
  /** Of this attempt, Unix seconds. */
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature'?: string;
}

/** As sent; configured names differ in case alone only by mistake, and then the last one counts. */
export const requestHeaders = (
  { headers }: Pick<WebhookCall, 'headers'>,
  own: OwnHeaders,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
  ...own,
});

/** The key of a secret as it was shown: `whsec_` and base64. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

/** [HOOK-SIGN-2] `webhook-signature` of Standard Webhooks, version 1: one signature for each key, with spaces between them. */
export const signature = (keys: readonly Buffer[], id: string, timestamp: string, body: Buffer): string => {
  const head = `${id}.${timestamp}.`;
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`)
    .join(' ');
};
