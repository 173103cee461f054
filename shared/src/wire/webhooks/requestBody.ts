import type { WebhookCall } from '../bus/webhookCalls.js';
import { messagePackAsJson } from './messagePackAsJson.js';

type BodySource = Pick<WebhookCall, 'roomName' | 'topicName' | 'actorId' | 'data' | 'scope'>;

/** [HOOK-BODY-1] The request body, as JSON text. That of a room event is made by whoever sends it. */
export const requestBody = (call: BodySource & Pick<WebhookCall, 'kind'>): string =>
  call.kind === 'event' ? messagePackAsJson(call.data) : messageBody(call, call.kind === 'hydration');

const messageBody = (source: BodySource, isHydration: boolean): string => {
  const { roomName, topicName, actorId, data, scope } = source;
  const scopeFields = scope && { accessScopeId: scope.accessScopeId, slug: scope.slug, name: scope.name };
  if (isHydration) return JSON.stringify({ actorId, roomName, topicName, scope: scopeFields });
  // A backend is nobody.
  const names = JSON.stringify({ roomName, topicName, actorId: actorId === '' ? null : actorId });
  return `${names.slice(0, -1)},"data":${messagePackAsJson(data)},"scope":${JSON.stringify(scopeFields)}}`;
};

/** What a trigger would have sent of a message that became a dead letter without any call. */
export const undeliveredBody = (source: BodySource): string => messageBody(source, false);
