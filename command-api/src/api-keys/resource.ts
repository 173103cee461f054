import type { ApiKey } from '@roomwire/shared/domain/api-keys/apiKey';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema, presentUsed } from '../http/listing.js';
import {
  described,
  nameSchema,
  orNull,
  record,
  strictObject,
  textSchema,
  timeSchema,
  titled,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';

export const createApiKeySchema = titled(
  'NewApiKey',
  strictObject({ name: nameSchema, expiresAt: orNull(timeSchema) }, ['name']),
);

export const apiKeysQuerySchema = pageQuerySchema(['name', 'expiresAt', 'createdAt']);

const apiKeyFields = {
  apiKeyId: uuidSchema,
  organizationId: uuidSchema,
  projectId: described(orNull(uuidSchema), 'Null for a key of the organization alone'),
  keyId: described(textSchema, 'Public: `ak_live_<id>`'),
  name: textSchema,
  expiresAt: orNull(timeSchema),
  lastUsedAt: orNull(timeSchema),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const apiKeySchema = record('ApiKey', apiKeyFields);

export const createdApiKeySchema = record('CreatedApiKey', {
  ...apiKeyFields,
  apiKey: described(textSchema, '`ak_live_<id>.<secret>`; shown only in this answer'),
});

type ApiKeyAnswer = ValueOf<typeof apiKeySchema>;

export const presentApiKey = (apiKey: ApiKey, lastUsedAt: string | null): ApiKeyAnswer => ({
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

export const presentApiKeys = (usage: UsageReader, apiKeys: readonly ApiKey[]): Promise<ApiKeyAnswer[]> =>
  presentUsed(usage, apiKeys, ({ apiKeyId }) => apiKeyId, presentApiKey);

export const exampleNewApiKey = { name: 'Backend', expiresAt: '2027-01-31T00:00:00.000Z' };

export const exampleApiKey: ApiKeyAnswer = {
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
