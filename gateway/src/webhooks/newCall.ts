import type { CallOrigin, WebhookCall, WebhookKind } from '@roomwire/shared/wire/bus/webhookCalls';
import type { Webhook } from '@roomwire/shared/domain/apps/webhook';
import type { Random } from '@roomwire/shared/ports/random';
import type { TraceParent } from '@roomwire/shared/wire/bus/channel';
import type { TopicAccess } from '../access/topicAccess.js';
import type { Identity } from '../session/identity.js';

export interface CallReason {
  readonly kind: WebhookKind;
  readonly webhook: Webhook;
  /** MessagePack. */
  readonly data: Uint8Array;
  readonly origin: CallOrigin;
  /** Undefined where it is not traced. */
  readonly traceparent?: TraceParent | undefined;
}

/** Everything the call needs, as it is now. */
export const newCall = (
  random: Random,
  { organizationId, projectId, actorTokenId, accessScope }: Identity,
  { place, room, topic }: TopicAccess,
  { kind, webhook, data, origin, traceparent }: CallReason,
): WebhookCall => ({
  callId: random.uuid(),
  kind,
  organizationId,
  projectId,
  appId: place.app.value.appId,
  url: webhook.url,
  headers: Object.entries(webhook.headers ?? {}),
  room,
  roomName: place.room.value.slug,
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
