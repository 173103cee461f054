import { pageQuerySchema } from '../http/pagination.js';
import { nameSchema, strictObject, titled } from '../http/schemas.js';

export interface CreateWebhookSecretBody {
  readonly name: string;
}

export const createWebhookSecretSchema = titled(
  'NewWebhookSecret',
  strictObject({ name: nameSchema }, ['name']),
);

export const webhookSecretsQuerySchema = pageQuerySchema(['name', 'createdAt']);
