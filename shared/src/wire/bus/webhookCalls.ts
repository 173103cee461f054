import { Encoder, decode } from '@msgpack/msgpack';
import {
  bytes,
  constant,
  count,
  described,
  listOf,
  object,
  oneOf,
  optional,
  orNull,
  text,
  textOrNull,
  tuple,
  union,
  type TypeOf,
} from '../schema.js';
import type { Channel, WorkQueue } from './channel.js';
import { roomField, versionedRecord, versionField } from './recordCodec.js';

/** `event`: tells of a room's presence. */
export const webhookKind = oneOf('trigger', 'hydration', 'event');
export type WebhookKind = TypeOf<typeof webhookKind>;

/** The reason for a call, and the receiver of its outcome. */
const origin = union(
  object({ by: constant('publish') }),
  /** The answer is sent to this gateway, which maps the number to a subscription. */
  object({ by: constant('subscribe'), gatewayId: text, subscription: count }),
  /** An operator redrives a dead letter; its id is the call's. */
  object({ by: constant('redrive'), redriveId: text }),
  /** A room event: how its call ends is told to the gateways. */
  object({ by: constant('roomEvent') }),
);

export type CallOrigin = TypeOf<typeof origin>;

/** The scope of an actor, as webhooks get it. */
export const calledScope = object({ accessScopeId: text, slug: text, name: text });

export /** What a body of version 2 says besides. */
const calledMessage = object({
  appSlug: text,
  topic: described('The address', text),
  id: described('What its publisher gave, or the service made', text),
  at: described('When it was accepted, Unix milliseconds', count),
  position: described('Of a topic with history, where it is known', textOrNull),
});

export const webhookCall = object({
  /** The same on every attempt. */
  callId: described('`webhook-id`, and the `dlqId` if it comes to nothing', text),
  kind: webhookKind,
  organizationId: text,
  projectId: text,
  appId: text,
  url: text,
  /** As configured; names may differ in case alone. */
  headers: listOf(tuple(text, text)),
  /** Internal. The calls of a room are begun in order. */
  room: roomField,
  /** Room slug. */
  roomName: text,
  roomId: optional(described('Absent in calls of earlier versions, and of a redrive', text)),
  /** Without app and room. */
  topicName: text,
  /** `actorTokenId`. */
  actorId: text,
  scope: orNull(calledScope),
  data: described(
    'As published, MessagePack; empty for a hydration; the whole body of the request for an event',
    bytes,
  ),
  sequence: optional(described('Of an event', count)),
  message: optional(described('For a body of version 2', calledMessage)),
  retrySeconds: optional(described('For how long after its first attempt it is tried on', count)),
  firstAttemptAt: optional(described('Unix milliseconds; where it may be tried on', count)),
  parkedAt: optional(described('Since when it waits for its endpoint, Unix milliseconds', count)),
  waitsOnMs: optional(described('How long it still waits when this queue gives it back', count)),
  following: optional(
    described(
      'Events of the same room, each to be called for once the one before has ended',
      listOf(object({ callId: text, sequence: count, data: bytes })),
    ),
  ),
  origin,
  attempts: described('That were made so far', count),
  putOffBy: optional(
    described(
      'In the backlog, or parked: a random id of whoever counts it; absent where it is not counted yet',
      text,
    ),
  ),
  /** In the record and not in a header, so that it reaches the retry queues and the backlog on every bus. */
  traceparent: optional(
    described('W3C Trace Context of what has caused it; absent where that is not traced', text),
  ),
});

/** A webhook call with a copy of its configuration, so that later changes do not affect it. */
export type WebhookCall = TypeOf<typeof webhookCall>;

/** Rejects a record of another version: the job waits for a process that supports it. */
export const webhookCallRecord = versionedRecord('a webhook call', 1, webhookCall);

/** Calls that wait for their first attempt. */
export const webhookCalls: WorkQueue<WebhookCall> = {
  name: 'webhook-calls',
  key: ({ room }) => room,
  codec: webhookCallRecord.codec,
  delayMs: 0,
  overlaps: true,
};

/** [HOOK-RETRY-1] How long a call waits for its second and its third attempt. */
export const retryWaitsMs: readonly [number, number] = [1_000, 2_000];

const waitingFor = (seconds: number): WorkQueue<WebhookCall> => ({
  ...webhookCalls,
  name: `webhook-retry-${seconds}s`,
  delayMs: seconds * 1_000,
});

/** Calls that wait for their second and their third attempt. */
export const webhookRetries: readonly [WorkQueue<WebhookCall>, WorkQueue<WebhookCall>] = [
  waitingFor(1),
  waitingFor(2),
];

/** [HOOK-RETRY-5] Longer waits are made of these: a queue has one delay, so that what was put first is due first. */
export const webhookWaits: readonly WorkQueue<WebhookCall>[] = [4, 16, 64, 256, 1_024].map(waitingFor);

/**
 * Calls to slow endpoints, separate so that they do not delay others. The key is the project, so that one process takes all that a
 * project has in it, and counts it.
 */
export const webhookBacklog: WorkQueue<WebhookCall> = {
  ...webhookCalls,
  name: 'webhook-backlog',
  key: ({ projectId }) => projectId,
  delayMs: 1_000,
};

/**
 * [HOOK-CIRCUIT-2] Calls to endpoints whose circuits are open. The key is the project, as in the backlog. They come back for a look every few
 * seconds.
 */
export const parkedWebhookCalls: WorkQueue<WebhookCall> = {
  ...webhookBacklog,
  name: 'webhook-parked',
  delayMs: 5_000,
};

/** The answer of a hydration webhook, on its way to the subscriber. */
export interface WebhookAnswer {
  readonly gatewayId: string;
  /** As in the call's origin. */
  readonly subscription: number;
  /** The complete `hydration` for the subscriber, MessagePack. */
  readonly body: Uint8Array;
}

export const webhookAnswerRecord = tuple(
  versionField(1),
  described('The gateway that asked', text),
  described('As in the call', count),
  described('The complete `hydration` for the subscriber, MessagePack', bytes),
);

const encoder = new Encoder();

/** Each gateway reads its own answers. */
export const webhookAnswers: Channel<WebhookAnswer> = {
  name: 'webhook-answers',
  key: ({ gatewayId }) => gatewayId,
  codec: {
    encode: ({ gatewayId, subscription, body }) => encoder.encode([1, gatewayId, subscription, body]),
    decode: (bytes) => {
      const record = decode(bytes);
      if (!webhookAnswerRecord.is(record)) throw new Error('Not a webhook answer of a known version');
      const [, gatewayId, subscription, body] = record;
      return { gatewayId, subscription, body };
    },
  },
};
