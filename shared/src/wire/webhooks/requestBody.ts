import type { WebhookCall } from '../bus/webhookCalls.js';
import { messagePackAsJson } from './messagePackAsJson.js';

type BodySource = Pick<WebhookCall, 'roomName' | 'topicName' | 'actorId' | 'data' | 'scope'> &
  Partial<Pick<WebhookCall, 'appId' | 'roomId' | 'message'>>;

/** [HOOK-BODY-1] The request body, as JSON text. That of a room event is made by whoever sends it. */
export const requestBody = (call: BodySource & Pick<WebhookCall, 'kind'>): string =>
  call.kind === 'event' ? messagePackAsJson(call.data) : messageBody(call, call.kind === 'hydration');

const messageBody = (source: BodySource, isHydration: boolean): string => {
  const { roomName, topicName, actorId, data, scope } = source;
  const scopeFields = scope && { accessScopeId: scope.accessScopeId, slug: scope.slug, name: scope.name };
  if (isHydration) return JSON.stringify({ actorId, roomName, topicName, scope: scopeFields });
  // A backend is nobody.
  const names = JSON.stringify({ roomName, topicName, actorId: actorId === '' ? null : actorId });
  const rest = JSON.stringify({ scope: scopeFields, ...secondVersion(source) });
  return `${names.slice(0, -1)},"data":${messagePackAsJson(data)},${rest.slice(1)}`;
};

/** [HOOK-BODY-3] */
const secondVersion = ({ appId, roomId, message }: BodySource): object | undefined => {
  if (message === undefined) return undefined;
  const { appSlug, topic, id, at, position } = message;
  return { appId, appSlug, roomId, topic, id, at: new Date(at).toISOString(), position };
};

/** What a trigger would have sent of a message that became a dead letter without any call. */
export const undeliveredBody = (source: BodySource): string => messageBody(source, false);
