import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { JsonSchema } from '../http/route.js';
import { record, textSchema, timeSchema, uuidSchema } from '../http/schema.js';
import type { presentWebhookSecret } from './present.js';

const fields: Readonly<Record<string, JsonSchema>> = {
  webhookSecretId: uuidSchema,
  projectId: uuidSchema,
  name: textSchema,
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const webhookSecretSchema = record('WebhookSecret', fields);

export const createdWebhookSecretSchema = record('CreatedWebhookSecret', {
  ...fields,
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
