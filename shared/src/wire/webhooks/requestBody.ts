import type { WebhookCall } from '../bus/webhookCalls.js';
import { messagePackAsJson } from './messagePackAsJson.js';

type BodySource = Pick<WebhookCall, 'kind' | 'roomName' | 'topicName' | 'actorId' | 'data' | 'scope'>;

/** [HOOK-BODY-1] The request body, as JSON text. */
export const requestBody = ({ kind, roomName, topicName, actorId, data, scope }: BodySource): string => {
  const scopeFields = scope && { accessScopeId: scope.accessScopeId, slug: scope.slug, name: scope.name };
  if (kind === 'hydration') return JSON.stringify({ actorId, roomName, topicName, scope: scopeFields });
  // A backend is nobody.
  const names = JSON.stringify({ roomName, topicName, actorId: actorId === '' ? null : actorId });
  return `${names.slice(0, -1)},"data":${messagePackAsJson(data)},"scope":${JSON.stringify(scopeFields)}}`;
};
