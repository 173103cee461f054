import { pageQuerySchema } from '../http/listing.js';
import {
  nameSchema,
  strictObject,
  titled,
  record,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { JsonSchema } from '../http/route.js';
import type { WebhookSecret } from '@roomwire/shared/domain/webhook-secrets/webhookSecret';

export interface CreateWebhookSecretBody {
  readonly name: string;
}

export const createWebhookSecretSchema = titled(
  'NewWebhookSecret',
  strictObject({ name: nameSchema }, ['name']),
);

export const webhookSecretsQuerySchema = pageQuerySchema(['name', 'createdAt']);

const recordFields: Readonly<Record<string, JsonSchema>> = {
  webhookSecretId: uuidSchema,
  projectId: uuidSchema,
  name: textSchema,
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const webhookSecretSchema = record('WebhookSecret', recordFields);

export const createdWebhookSecretSchema = record('CreatedWebhookSecret', {
  ...recordFields,
  webhookSecret: {
    ...textSchema,
    description:
      '`whsec_` and the key in base64, as libraries for Standard Webhooks take it; shown only in this answer',
  },
});

export const exampleNewWebhookSecret = { name: 'Of this year' };

export const exampleWebhookSecret: ReturnType<typeof presentWebhookSecret> = {
  webhookSecretId: exampleIds.webhookSecretId,
  projectId: exampleIds.projectId,
  name: exampleNewWebhookSecret.name,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const exampleCreatedWebhookSecret = {
  ...exampleWebhookSecret,
  webhookSecret: 'whsec_RVhBTVBMRS1FWEFNUExFLUVYQU1QTEUtRVhBTVBMRS0=',
};

export const presentWebhookSecret = (secret: WebhookSecret) => ({
  webhookSecretId: secret.webhookSecretId,
  projectId: secret.projectId,
  name: secret.name,
  createdAt: secret.createdAt,
  updatedAt: secret.updatedAt,
});
