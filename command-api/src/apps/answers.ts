import { accessModes, appStatuses } from '@roomwire/shared/domain/apps/app';
import { retentions } from '@roomwire/shared/domain/apps/topicConfig';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { JsonSchema } from '../http/route.js';
import {
  countSchema,
  flagSchema,
  listOf,
  orNull,
  record,
  strictObject,
  textOrNullSchema,
  textSchema,
  timeSchema,
  titled,
  uuidSchema,
} from '../http/schema.js';
import type { presentApp } from './present.js';

const webhookSchema = titled(
  'Webhook',
  strictObject({ url: textSchema, headers: { type: 'object', additionalProperties: textSchema } }, ['url']),
);

const loggingSchema = strictObject(
  {
    enabled: flagSchema,
    retention: { type: 'string', enum: [...retentions] },
    replayEnabled: flagSchema,
    maxReplayMessages: countSchema,
  },
  ['enabled'],
);

const topicConfigSchema = titled(
  'TopicConfig',
  strictObject({
    logging: loggingSchema,
    webhooks: strictObject({ onSubscribe: webhookSchema, onPublish: webhookSchema }),
  }),
);

const configSchema: JsonSchema = titled('AppConfig', {
  type: 'object',
  properties: {
    autoProvisionRooms: flagSchema,
    accessMode: { type: 'string', enum: [...accessModes] },
    lobbies: listOf(strictObject({ slug: textSchema, rooms: listOf(textSchema) }, ['slug', 'rooms'])),
  },
});

const asSent: JsonSchema = { description: 'Any JSON value, kept as it was sent; null without one' };

export const appSchema = record('App', {
  appId: uuidSchema,
  projectId: uuidSchema,
  name: textSchema,
  slug: { ...textSchema, description: 'First segment of topic addresses' },
  description: textOrNullSchema,
  status: { type: 'string', enum: [...appStatuses] },
  blueprintId: orNull(uuidSchema),
  blueprintVersion: textOrNullSchema,
  pinnedBlueprintVersion: flagSchema,
  config: configSchema,
  topics: listOf(textSchema),
  topicConfigs: { type: 'object', additionalProperties: topicConfigSchema },
  hydrationWebhook: orNull(webhookSchema),
  triggerWebhook: orNull(webhookSchema),
  dependencies: asSent,
  files: asSent,
  framework: asSent,
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

const webhook = { url: 'https://example.com/hooks/published', headers: { 'X-Api-Key': 'secret' } };

export const exampleNewApp = {
  name: 'Support desk',
  topics: ['chat', 'typing'],
  config: { autoProvisionRooms: true },
  topicConfigs: { chat: { logging: { enabled: true, retention: '7d' } } },
  triggerWebhook: webhook,
} as const;

export const exampleApp: ReturnType<typeof presentApp> = {
  appId: exampleIds.appId,
  projectId: exampleIds.projectId,
  ...exampleNewApp,
  slug: 'support-desk-1a2b',
  description: null,
  status: 'active',
  blueprintId: null,
  blueprintVersion: null,
  pinnedBlueprintVersion: false,
  hydrationWebhook: null,
  dependencies: null,
  files: null,
  framework: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const appDeletedSchema = record('AppDeleted', { success: { type: 'boolean', const: true } });
