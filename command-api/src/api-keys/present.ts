import type { ApiKey } from '@roomwire/shared/domain/api-keys/apiKey';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { presentUsed } from '../http/listing.js';

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
