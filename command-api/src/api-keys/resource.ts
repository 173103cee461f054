import { pageQuerySchema, presentUsed } from '../http/listing.js';
import {
  nameSchema,
  orNull,
  strictObject,
  titled,
  timeSchema,
  record,
  textSchema,
  uuidSchema,
} from '../http/schema.js';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import type { JsonSchema } from '../http/route.js';
import type { ApiKey } from '@roomwire/shared/domain/api-keys/apiKey';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';

export interface CreateApiKeyBody {
  readonly name: string;
  readonly expiresAt?: string | null;
}

export const createApiKeySchema = titled(
  'NewApiKey',
  strictObject({ name: nameSchema, expiresAt: orNull(timeSchema) }, ['name']),
);

export const apiKeysQuerySchema = pageQuerySchema(['name', 'expiresAt', 'createdAt']);

const recordFields: Readonly<Record<string, JsonSchema>> = {
  apiKeyId: uuidSchema,
  organizationId: uuidSchema,
  projectId: { ...orNull(uuidSchema), description: 'Null for a key of the organization alone' },
  keyId: { ...textSchema, description: 'Public: `ak_live_<id>`' },
  name: textSchema,
  expiresAt: orNull(timeSchema),
  lastUsedAt: orNull(timeSchema),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const apiKeySchema = record('ApiKey', recordFields);

export const createdApiKeySchema = record('CreatedApiKey', {
  ...recordFields,
  apiKey: { ...textSchema, description: '`ak_live_<id>.<secret>`; shown only in this answer' },
});

export const exampleNewApiKey = { name: 'Backend', expiresAt: '2027-01-31T00:00:00.000Z' };

export const exampleApiKey: ReturnType<typeof presentApiKey> = {
  apiKeyId: exampleIds.apiKeyId,
  organizationId: exampleIds.organizationId,
  projectId: exampleIds.projectId,
  keyId: 'ak_live_9c3e5a7d1f20',
  ...exampleNewApiKey,
  lastUsedAt: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const exampleCreatedApiKey = { ...exampleApiKey, apiKey: `${exampleApiKey.keyId}.${exampleSecret}` };

export const presentApiKey = (apiKey: ApiKey, lastUsedAt: string | null) => ({
  apiKeyId: apiKey.apiKeyId,
  organizationId: apiKey.organizationId,
  projectId: apiKey.projectId,
  keyId: apiKey.keyId,
  name: apiKey.name,
  expiresAt: apiKey.expiresAt,
  lastUsedAt,
  createdAt: apiKey.createdAt,
  updatedAt: apiKey.updatedAt,
});

export const presentApiKeys = (views: ViewStore, apiKeys: readonly ApiKey[]) =>
  presentUsed(views, apiKeys, ({ apiKeyId }) => apiKeyId, presentApiKey);
