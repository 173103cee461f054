import type { WebhookCall } from '@roomwire/shared/contracts/bus/webhookCalls';
import { maxFrameBytes } from '@roomwire/shared/contracts/protocol/limits';
import { requestBody } from '@roomwire/shared/contracts/webhooks/requestBody';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { AttemptResult, MakeAttempt } from './attempt.js';
import { requestHeaders, type OwnHeaders } from './requestHeaders.js';

/** Makes one attempt of a call. Rejects where it could not be made for reasons of our own. */
export type Post = (call: WebhookCall) => Promise<AttemptResult>;

/** The signature of a call of a project; undefined without a secret. */
export type Sign = (
  projectId: string,
  id: string,
  timestamp: string,
  body: string,
) => Promise<string | undefined>;

export interface PostDeps {
  readonly attempt: MakeAttempt;
  readonly sign: Sign;
  readonly clock: Clock;
}

export const createPost =
  ({ attempt, sign, clock }: PostDeps): Post =>
  async (call) => {
    const body = requestBody(call);
    const timestamp = String(Math.floor(clock.now() / 1_000));
    const signature = await sign(call.projectId, call.callId, timestamp, body);
    const own: OwnHeaders = {
      'content-type': 'application/json',
      'user-agent': 'Roomwire',
      'webhook-id': call.callId,
      'webhook-timestamp': timestamp,
      ...(signature === undefined ? {} : { 'webhook-signature': signature }),
    };
    const headers = requestHeaders(call, own);
    // More than a frame holds cannot be sent on.
    const answerBytes = call.kind === 'hydration' ? maxFrameBytes : 0;
    return attempt({ url: call.url, headers, body, answerBytes });
  };
