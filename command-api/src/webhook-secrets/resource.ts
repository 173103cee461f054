import type { WebhookSecret } from '@roomwire/shared/domain/webhookSecret';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import * as s from '../http/schema.js';

export const createWebhookSecretSchema = s.titled(
  'NewWebhookSecret',
  s.strictObject({ name: s.name }, ['name']),
);

export const webhookSecretsQuerySchema = pageQuerySchema(['name', 'createdAt']);

const webhookSecretFields = {
  webhookSecretId: s.uuid,
  projectId: s.uuid,
  name: s.text(),
  createdAt: s.time,
  updatedAt: s.time,
};

export const webhookSecretSchema = s.titledObject('WebhookSecret', webhookSecretFields);

export const createdWebhookSecretSchema = s.titledObject('CreatedWebhookSecret', {
  ...webhookSecretFields,
  webhookSecret: s.text({
    description:
      '`whsec_` and the key in base64, as libraries for Standard Webhooks expect it; shown only in this answer',
  }),
});

type WebhookSecretAnswer = s.ValueOf<typeof webhookSecretSchema>;

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
