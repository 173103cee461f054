import {
  webhookCalls,
  type CallOrigin,
  type WebhookCall,
  type WebhookKind,
} from '@roomwire/shared/wire/bus/webhookCalls';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Random } from '@roomwire/shared/ports/random';
import type { TraceParent } from '@roomwire/shared/wire/bus/channel';
import type { Webhook } from '@roomwire/shared/domain/app';
import type { TopicAccess } from '../access/topicAccess.js';
import type { GatewayMetrics } from '../metrics.js';
import type { Author } from '../access/client.js';

/**
 * Puts the trigger call of a publish on the bus; undefined where the topic has no trigger webhook. Resolves when the
 * call can no longer be lost, at once for QoS 0, and rejects when the bus is unavailable.
 */
export type Trigger = (
  author: Author,
  frame: PublishFrame,
  access: TopicAccess,
  /** Of the publish. */
  traceparent: TraceParent | undefined,
) => Promise<void> | undefined;

interface TriggerDeps {
  readonly bus: MessageBus;
  readonly metrics: GatewayMetrics;
  readonly random: Random;
  readonly logger: Logger;
}

/** Calls of QoS 0 in flight to the bus beyond which publishers wait. */
const maxUnawaited = 1_000;

export const createTrigger = ({ bus, metrics, random, logger }: TriggerDeps): Trigger => {
  let unawaited = 0;

  const withoutWaiting = (put: Promise<void>): Promise<void> => {
    unawaited++;
    const settled = put
      .catch((error: unknown) => {
        metrics.webhookCallsLost++;
        logger.warn('A webhook call of QoS 0 did not reach the bus', { error });
      })
      .finally(() => unawaited--);
    return unawaited > maxUnawaited ? settled : Promise.resolve();
  };

  return (author, { data, qos }, access, traceparent) => {
    const webhook = access.webhooks?.onPublish;
    if (webhook === undefined) return undefined;
    metrics.webhookCalls++;
    const reason = { kind: 'trigger', webhook, data, origin: { by: 'publish' }, traceparent } as const;
    const put = bus.put(webhookCalls, newCall(random, author, access, reason));
    return qos === 0 ? withoutWaiting(put) : put;
  };
};

export interface CallReason {
  readonly kind: WebhookKind;
  readonly webhook: Webhook;
  /** MessagePack. */
  readonly data: Uint8Array;
  readonly origin: CallOrigin;
  /** Undefined where it is not traced. */
  readonly traceparent?: TraceParent | undefined;
}

/** A call with a copy of everything that it needs. */
export const newCall = (
  random: Random,
  { organizationId, projectId, actorTokenId, accessScope }: Author,
  { location, room, topic }: TopicAccess,
  { kind, webhook, data, origin, traceparent }: CallReason,
): WebhookCall => ({
  callId: random.uuid(),
  kind,
  organizationId,
  projectId,
  appId: location.app.value.appId,
  url: webhook.url,
  headers: Object.entries(webhook.headers ?? {}),
  room,
  roomName: location.room.value.slug,
  roomId: location.room.value.roomId,
  topicName: topic.slice(room.length + 1),
  actorId: actorTokenId,
  scope: accessScope && {
    accessScopeId: accessScope.accessScopeId,
    slug: accessScope.slug,
    name: accessScope.name,
  },
  data,
  origin,
  attempts: 0,
  ...(traceparent !== undefined && { traceparent }),
});
