import {
  webhookCalls,
  type CallOrigin,
  type WebhookCall,
  type WebhookKind,
} from '@roomwire/shared/wire/bus/webhookCalls';
import { acceptedAt } from '@roomwire/shared/wire/bus/messageId';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Random } from '@roomwire/shared/ports/random';
import type { TraceParent } from '@roomwire/shared/wire/bus/channel';
import type { TriggerWebhook } from '@roomwire/shared/domain/app';
import type { TopicAccess, TopicRecord } from '../access/topicAccess.js';
import type { GatewayMetrics } from '../metrics.js';
import { Turns } from './turns.js';
import type { Author } from '../access/client.js';

/**
 * Puts the trigger call of a publish on the bus; undefined where the topic has no trigger webhook. Resolves when the
 * call can no longer be lost, at once for QoS 0, and rejects when the bus is unavailable.
 */
export type Trigger = (publish: TriggeringPublish) => Promise<void> | undefined;

export interface TriggeringPublish {
  readonly author: Author;
  readonly frame: PublishFrame;
  readonly access: TopicAccess;
  readonly messageId: string;
  /** The offset of the message, once it is sent. */
  readonly sent: Promise<number>;
  readonly traceparent: TraceParent | undefined;
}

/** Where a message that was sent stands; undefined where that is not known. Never rejects. */
export type PositionOf = (
  record: TopicRecord,
  sent: { readonly messageId: string; readonly isDuplicate: false; readonly offset: number },
) => Promise<string | undefined>;

interface TriggerDeps {
  readonly bus: MessageBus;
  readonly metrics: GatewayMetrics;
  readonly random: Random;
  readonly logger: Logger;
  readonly positionOf: PositionOf;
}

/** [HOOK-BODY-3] Whether a call says where the message stands, which must be waited for. */
export const tellsPosition = ({ webhooks, history }: TopicAccess): boolean =>
  history !== undefined && webhooks?.onPublish?.bodyVersion === 2;

/** Calls of QoS 0 in flight to the bus beyond which publishers wait. */
const maxUnawaited = 1_000;

export const createTrigger = ({ bus, metrics, random, logger, positionOf }: TriggerDeps): Trigger => {
  let unawaited = 0;
  const positioned = new Turns();

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

  return (publish) => {
    const { author, frame, access, traceparent, messageId, sent } = publish;
    const webhook = access.webhooks?.onPublish;
    if (webhook === undefined) return undefined;
    metrics.webhookCalls++;
    const { data, topic, qos } = frame;
    const reason = { kind: 'trigger', webhook, data, origin: { by: 'publish' }, traceparent } as const;
    const call = newCall(random, author, access, reason);
    const putWith = (position: string | null): Promise<void> => {
      const id = frame.id ?? messageId;
      const message = {
        appSlug: access.location.app.value.slug,
        topic,
        id,
        at: acceptedAt(messageId),
        position,
      };
      return bus.put(webhookCalls, webhook.bodyVersion === 2 ? { ...call, message } : call);
    };
    const { history } = access;
    if (history === undefined || !tellsPosition(access)) {
      const put = putWith(null);
      return qos === 0 ? withoutWaiting(put) : put;
    }
    const position = sent.then((offset) => positionOf(history, { messageId, isDuplicate: false, offset }));
    const put = positioned.take(access.room, position, (known) => putWith(known ?? null));
    return qos === 0 ? withoutWaiting(put) : put;
  };
};

export interface CallReason {
  readonly kind: WebhookKind;
  readonly webhook: TriggerWebhook;
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
  ...(webhook.retrySeconds && { retrySeconds: webhook.retrySeconds }),
  ...(traceparent !== undefined && { traceparent }),
});
