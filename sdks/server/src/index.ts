export { createServer, type Server, type ServerOptions } from './server.js';
export { createToken, InvalidToken } from './createToken.js';
export type { ActorTokenOptions, ActorType, ExternalTokenOptions, Right } from './createToken.js';
export { verifyWebhook, InvalidWebhook, type CallHeaders, type WebhookCall } from './verifyWebhook.js';
export type { CallScope, RoomEventBody, TriggerBody, TriggerBodyV2 } from './webhookBodies.js';
export type {
  AnyMessage,
  AnyResult,
  LaterMessage,
  NewMessage,
  Published,
  PublishResult,
  Scheduled,
} from './publishing.js';
export { PublishRefused, RequestFailed, type Refused } from './errors.js';
export type { components, operations, paths } from './rest/schema.js';
