import { pageQuerySchema } from '../http/pagination.js';
import { nameSchema, orNull, strictObject, timeSchema } from '../http/schemas.js';

export interface CreateApiKeyBody {
  readonly name: string;
  readonly expiresAt?: string | null;
}

export const createApiKeySchema = strictObject({ name: nameSchema, expiresAt: orNull(timeSchema) }, ['name']);

export const apiKeysQuerySchema = pageQuerySchema(['name', 'expiresAt', 'createdAt']);
