import type { WebhookSecret } from '@roomwire/shared/domain/webhook-secrets/webhookSecret';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import {
  described,
  nameSchema,
  record,
  strictObject,
  textSchema,
  timeSchema,
  titled,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';

export const createWebhookSecretSchema = titled(
  'NewWebhookSecret',
  strictObject({ name: nameSchema }, ['name']),
);

export const webhookSecretsQuerySchema = pageQuerySchema(['name', 'createdAt']);

const webhookSecretFields = {
  webhookSecretId: uuidSchema,
  projectId: uuidSchema,
  name: textSchema,
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const webhookSecretSchema = record('WebhookSecret', webhookSecretFields);

export const createdWebhookSecretSchema = record('CreatedWebhookSecret', {
  ...webhookSecretFields,
  webhookSecret: described(
    textSchema,
    '`whsec_` and the key in base64, as libraries for Standard Webhooks expect it; shown only in this answer',
  ),
});

type WebhookSecretAnswer = ValueOf<typeof webhookSecretSchema>;

export const presentWebhookSecret = (secret: WebhookSecret): WebhookSecretAnswer => ({
  webhookSecretId: secret.webhookSecretId,
  projectId: secret.projectId,
  name: secret.name,
  createdAt: secret.createdAt,
  updatedAt: secret.updatedAt,
});

export const exampleNewWebhookSecret = { name: 'Of this year' };

export const exampleWebhookSecret: WebhookSecretAnswer = {
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
