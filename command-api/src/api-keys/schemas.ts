import { pageQuerySchema } from '../http/listing.js';
import { nameSchema, orNull, strictObject, titled, timeSchema } from '../http/schema.js';

export interface CreateApiKeyBody {
  readonly name: string;
  readonly expiresAt?: string | null;
}

export const createApiKeySchema = titled(
  'NewApiKey',
  strictObject({ name: nameSchema, expiresAt: orNull(timeSchema) }, ['name']),
);

export const apiKeysQuerySchema = pageQuerySchema(['name', 'expiresAt', 'createdAt']);
