import { Buffer } from 'node:buffer';
import type { WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { maxFrameBytes } from '@roomwire/shared/wire/protocol/limits';
import { requestBody } from '@roomwire/shared/wire/webhooks/requestBody';
import { SecretNotOpened } from '@roomwire/shared/credentials/secretBox';
import type { Clock } from '@roomwire/shared/ports/clock';
import { signature } from '../sign/signature.js';
import type { AttemptResult, MakeAttempt } from './attempt.js';
import { requestHeaders, type OwnHeaders } from './requestHeaders.js';

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
  readonly keysOf: KeysOf;
  readonly clock: Clock;
}

export const createPost =
  ({ attempt, keysOf, clock }: PostDeps): Post =>
  async (call) => {
    const began = clock.monotonic();
    const ended = (result: AttemptResult, requestBytes: number): Posted => ({
      ...{ result, requestBytes, endedAt: clock.now() },
      durationMs: clock.monotonic() - began,
    });
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

/** Nobody would believe the call without its signature; as a dead letter it can be made again. */
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
