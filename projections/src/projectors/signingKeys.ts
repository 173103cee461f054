import { createdSigningKey, type SigningKeyEvent } from '@roomwire/shared/domain/signing-keys/signingKey';
import type { Projector } from './projector.js';

export const signingKeys: Projector<SigningKeyEvent> = {
  SigningKeyCreated: (data, { occurredAt, position }) => [
    {
      put: 'signingKeys',
      id: data.signingKeyId,
      doc: { ...createdSigningKey(data, occurredAt), createdPosition: position },
    },
  ],
  SigningKeyUpdated: ({ signingKeyId, changes }, { occurredAt }) => [
    { patch: 'signingKeys', id: signingKeyId, set: { ...changes, updatedAt: occurredAt } },
  ],
  SigningKeyResealed: ({ signingKeyId, sealedSecret }) => [
    { patch: 'signingKeys', id: signingKeyId, set: { sealedSecret } },
  ],
  SigningKeyDeleted: ({ signingKeyId }) => [{ remove: 'signingKeys', id: signingKeyId }],
};
