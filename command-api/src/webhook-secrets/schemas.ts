import { pageQuerySchema } from '../http/listing.js';
import { nameSchema, strictObject, titled } from '../http/schema.js';

export interface CreateWebhookSecretBody {
  readonly name: string;
}

export const createWebhookSecretSchema = titled(
  'NewWebhookSecret',
  strictObject({ name: nameSchema }, ['name']),
);

export const webhookSecretsQuerySchema = pageQuerySchema(['name', 'createdAt']);
