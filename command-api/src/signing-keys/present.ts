import type { SigningKey } from '@roomwire/shared/domain/signing-keys/signingKey';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { presentUsed } from '../http/listing.js';

export const presentSigningKey = (key: SigningKey, lastUsedAt: string | null) => ({
  signingKeyId: key.signingKeyId,
  projectId: key.projectId,
  keyId: key.keyId,
  name: key.name,
  status: key.status,
  lastUsedAt,
  createdAt: key.createdAt,
  updatedAt: key.updatedAt,
});

export const presentSigningKeys = (views: ViewStore, keys: readonly SigningKey[]) =>
  presentUsed(views, keys, ({ signingKeyId }) => signingKeyId, presentSigningKey);
