import { createdApiKey, type ApiKeyEvent } from '@roomwire/shared/domain/api-keys/apiKey';
import type { Projector } from './projector.js';

export const apiKeys: Projector<ApiKeyEvent> = {
  ApiKeyCreated: (data, { occurredAt, position }) => [
    {
      put: 'apiKeys',
      id: data.apiKeyId,
      doc: { ...createdApiKey(data, occurredAt), createdPosition: position },
    },
  ],
  ApiKeyRevoked: ({ apiKeyId }) => [{ remove: 'apiKeys', id: apiKeyId }],
};
