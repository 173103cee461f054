import type { ApiKey } from '@roomwire/shared/domain/apiKey';
import { permissions, type Permission } from '@roomwire/shared/domain/permission';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema, presentUsed } from '../http/listing.js';
import * as s from '../http/schema.js';

const permissionList = s.described(
  s.arrayOf(s.oneOf(permissions), permissions.length, { uniqueItems: true }),
  'What the key opens; `write` includes `read`. Null, or left out: everything',
);
const networkList = s.described(
  s.arrayOf(s.text({ maxLength: 50, format: 'network' }), limitTable.apiKeyAddresses.value, {
    uniqueItems: true,
  }),
  'Networks and addresses that the key may be used from. Null, or left out: any',
);

export const createApiKeySchema = s.titled(
  'NewApiKey',
  s.strictObject(
    {
      name: s.name,
      expiresAt: s.orNull(s.time),
      permissions: s.orNull(s.limited(permissionList, { minItems: 1 })),
      allowedAddresses: s.orNull(s.limited(networkList, { minItems: 1 })),
    },
    ['name'],
  ),
);

export const apiKeysQuerySchema = pageQuerySchema(['name', 'expiresAt', 'createdAt']);

const apiKeyFields = {
  apiKeyId: s.uuid,
  organizationId: s.uuid,
  projectId: s.described(s.orNull(s.uuid), 'Null for a key of the organization alone'),
  keyId: s.text({ description: 'Public: `ak_live_<id>`' }),
  name: s.text(),
  expiresAt: s.orNull(s.time),
  permissions: s.described(
    s.orNull(s.listOf(s.oneOf(permissions))),
    'What the key opens; null for everything',
  ),
  allowedAddresses: s.described(s.orNull(s.listOf(s.text())), 'Where it may be used from; null for anywhere'),
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
  permissions: apiKey.permissions,
  allowedAddresses: apiKey.allowedAddresses,
  lastUsedAt,
  createdAt: apiKey.createdAt,
  updatedAt: apiKey.updatedAt,
});

export const presentApiKeys = (usage: UsageReader, apiKeys: readonly ApiKey[]): Promise<ApiKeyAnswer[]> =>
  presentUsed(usage, apiKeys, ({ apiKeyId }) => apiKeyId, presentApiKey);

export const exampleNewApiKey = {
  name: 'Backend',
  expiresAt: '2027-01-31T00:00:00.000Z',
  permissions: ['rooms:write', 'actors:read'] satisfies readonly Permission[],
  allowedAddresses: ['203.0.113.0/24'],
};

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
