import type { ApiKey } from '@roomwire/shared/domain/api-keys/apiKey';

export const presentApiKey = (apiKey: ApiKey) => ({
  apiKeyId: apiKey.apiKeyId,
  organizationId: apiKey.organizationId,
  projectId: apiKey.projectId,
  keyId: apiKey.keyId,
  name: apiKey.name,
  expiresAt: apiKey.expiresAt,
  lastUsedAt: null,
  createdAt: apiKey.createdAt,
  updatedAt: apiKey.updatedAt,
});
