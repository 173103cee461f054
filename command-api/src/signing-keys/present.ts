import type { SigningKey } from '@roomwire/shared/domain/signing-keys/signingKey';

export const presentSigningKey = (key: SigningKey) => ({
  signingKeyId: key.signingKeyId,
  projectId: key.projectId,
  keyId: key.keyId,
  name: key.name,
  status: key.status,
  lastUsedAt: null,
  createdAt: key.createdAt,
  updatedAt: key.updatedAt,
});
