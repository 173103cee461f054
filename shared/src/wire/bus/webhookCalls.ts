import { Encoder, decode } from '@msgpack/msgpack';
import type { Channel, TraceParent, WorkQueue } from './channel.js';
import { isMap, isText, versionedCodec } from './recordCodec.js';

export type WebhookKind = 'trigger' | 'hydration';

/** Why a call is made, and what waits for its outcome. */
export type CallOrigin =
  | { readonly by: 'publish' }
  /** The answer goes back to this gateway, which knows what the number stands for. */
  | { readonly by: 'subscribe'; readonly gatewayId: string; readonly subscription: number }
  /** An operator has asked for a dead letter to be tried again; its id is the call's. */
  | { readonly by: 'redrive'; readonly redriveId: string };

/** The scope of an actor, as webhooks get it. */
export interface CallScope {
  readonly accessScopeId: string;
  readonly slug: string;
  readonly name: string;
}

/** A webhook call that is to be made, with all that it needs: what is configured later does not change it. */
export interface WebhookCall {
  /** The same on every attempt; `webhook-id`, and the `dlqId` if it comes to nothing. */
  readonly callId: string;
  readonly kind: WebhookKind;
  readonly organizationId: string;
  readonly projectId: string;
  readonly appId: string;
  readonly url: string;
  /** As configured; names may differ in case alone. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Internal: project, app, scope, room. The calls of a room are begun in order. */
  readonly room: string;
  /** Room slug. */
  readonly roomName: string;
  /** Without app and room. */
  readonly topicName: string;
  /** `actorTokenId`. */
  readonly actorId: string;
  readonly scope: CallScope | null;
  /** MessagePack, as published; empty for a hydration. */
  readonly data: Uint8Array;
  readonly origin: CallOrigin;
  /** Attempts made so far. */
  readonly attempts: number;
  /**
   * Of what has caused it; absent where that is not traced. Here and not in a header, so that it comes along to the
   * queues of retries and to the backlog, whatever the bus.
   */
  readonly traceparent?: TraceParent;
}

const texts = [
  ...(['callId', 'organizationId', 'projectId', 'appId', 'url'] as const),
  ...(['room', 'roomName', 'topicName', 'actorId'] as const),
];

const isHeader = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every(isText);

const isScope = (value: unknown): boolean =>
  value === null || (isMap(value) && ['accessScopeId', 'slug', 'name'].every((name) => isText(value[name])));

const isOrigin = (value: unknown): boolean => {
  if (!isMap(value)) return false;
  const { by, gatewayId, subscription, redriveId } = value;
  if (by === 'subscribe') return isText(gatewayId) && Number.isInteger(subscription);
  return by === 'publish' || (by === 'redrive' && isText(redriveId));
};

const isWebhookCall = (value: unknown): value is WebhookCall =>
  isMap(value) &&
  texts.every((name) => isText(value[name])) &&
  (value['kind'] === 'trigger' || value['kind'] === 'hydration') &&
  Array.isArray(value['headers']) &&
  value['headers'].every(isHeader) &&
  isScope(value['scope']) &&
  value['data'] instanceof Uint8Array &&
  isOrigin(value['origin']) &&
  Number.isInteger(value['attempts']) &&
  (value['traceparent'] === undefined || isText(value['traceparent']));

/** A job of another version waits for a program that knows it. */
const codec = versionedCodec(1, isWebhookCall, 'a webhook call');

/** Calls whose first attempt is to be made. */
export const webhookCalls: WorkQueue<WebhookCall> = {
  name: 'webhook-calls',
  key: ({ room }) => room,
  codec,
  delayMs: 0,
  overlaps: true,
};

/** [HOOK-RETRY-1] How long a call waits for its second and its third attempt. */
export const retryWaitsMs: readonly [number, number] = [1_000, 2_000];

/** Calls that wait for their second and their third attempt. */
export const webhookRetries: readonly [WorkQueue<WebhookCall>, WorkQueue<WebhookCall>] = [
  { ...webhookCalls, name: 'webhook-retry-1s', delayMs: retryWaitsMs[0] },
  { ...webhookCalls, name: 'webhook-retry-2s', delayMs: retryWaitsMs[1] },
];

/** Calls to endpoints that do not keep up, out of the way of the others. */
export const webhookBacklog: WorkQueue<WebhookCall> = {
  ...webhookCalls,
  name: 'webhook-backlog',
  key: ({ projectId, url }) => `${projectId} ${url}`,
  delayMs: 1_000,
};

/** What a hydration webhook has answered, on its way to the subscriber. */
export interface WebhookAnswer {
  readonly gatewayId: string;
  /** As in the call's origin. */
  readonly subscription: number;
  /** The complete `hydration` for the subscriber, MessagePack. */
  readonly body: Uint8Array;
}

const answerVersion = 1;

const encoder = new Encoder();

type AnswerRecord = [version: number, gatewayId: string, subscription: number, body: Uint8Array];

const isAnswerRecord = (value: unknown): value is AnswerRecord =>
  Array.isArray(value) &&
  value[0] === answerVersion &&
  typeof value[1] === 'string' &&
  Number.isInteger(value[2]) &&
  value[3] instanceof Uint8Array;

/** Each gateway reads what is for it. */
export const webhookAnswers: Channel<WebhookAnswer> = {
  name: 'webhook-answers',
  key: ({ gatewayId }) => gatewayId,
  codec: {
    encode: ({ gatewayId, subscription, body }) =>
      encoder.encode([answerVersion, gatewayId, subscription, body]),
    decode: (bytes) => {
      const record = decode(bytes);
      if (!isAnswerRecord(record)) throw new Error('Not a webhook answer of a known version');
      const [, gatewayId, subscription, body] = record;
      return { gatewayId, subscription, body };
    },
  },
};

/** How a trigger call has ended, for the service that keeps the dead letters. */
export type WebhookReport =
  | {
      readonly outcome: 'failed';
      readonly call: WebhookCall;
      /** Null when no answer came. */
      readonly responseStatus: number | null;
      readonly error: string;
      /** `pending`: it could succeed later. `failed`: the endpoint refused it. */
      readonly status: 'pending' | 'failed';
    }
  /** A dead letter that was tried again has arrived. */
  | { readonly outcome: 'delivered'; readonly call: WebhookCall };

const isReport = (value: unknown): value is WebhookReport => {
  const report = value as Partial<Record<string, unknown>> | null;
  if (typeof report !== 'object' || report === null || !isWebhookCall(report['call'])) return false;
  const { outcome, responseStatus, error, status } = report;
  if (outcome === 'delivered') return true;
  return (
    outcome === 'failed' &&
    (responseStatus === null || Number.isInteger(responseStatus)) &&
    typeof error === 'string' &&
    (status === 'pending' || status === 'failed')
  );
};

/** The reports of a call are taken in the order in which they were put. */
export const webhookReports: WorkQueue<WebhookReport> = {
  name: 'webhook-reports',
  key: ({ call }) => call.callId,
  codec: versionedCodec(1, isReport, 'a webhook report'),
  delayMs: 0,
};

/** Where earlier programs put their reports. It is worked on until it is empty; nothing is put into it. */
export const formerWebhookReports: WorkQueue<WebhookReport> = {
  ...webhookReports,
  name: 'webhook-dead-letters',
  isRetired: true,
};
