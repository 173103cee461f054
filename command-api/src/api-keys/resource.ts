import type { ApiKey } from '@roomwire/shared/domain/apiKey';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema, presentUsed } from '../http/listing.js';
import * as s from '../http/schema.js';

export const createApiKeySchema = s.titled(
  'NewApiKey',
  s.strictObject({ name: s.name, expiresAt: s.orNull(s.time) }, ['name']),
);

export const apiKeysQuerySchema = pageQuerySchema(['name', 'expiresAt', 'createdAt']);

const apiKeyFields = {
  apiKeyId: s.uuid,
  organizationId: s.uuid,
  projectId: s.described(s.orNull(s.uuid), 'Null for a key of the organization alone'),
  keyId: s.text({ description: 'Public: `ak_live_<id>`' }),
  name: s.text(),
  expiresAt: s.orNull(s.time),
  lastUsedAt: s.orNull(s.time),
  createdAt: s.time,
  updatedAt: s.time,
};

export const apiKeySchema = s.titledObject('ApiKey', apiKeyFields);

export const createdApiKeySchema = s.titledObject('CreatedApiKey', {
  ...apiKeyFields,
  apiKey: s.text({ description: '`ak_live_<id>.<secret>`; shown only in this answer' }),
});

type ApiKeyAnswer = s.ValueOf<typeof apiKeySchema>;

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
