import {
  createdWebhookSecret,
  type WebhookSecretEvent,
} from '@roomwire/shared/domain/webhook-secrets/webhookSecret';
import type { Projector } from './projector.js';

export const webhookSecrets: Projector<WebhookSecretEvent> = {
  WebhookSecretCreated: (data, { occurredAt, position }) => [
    {
      put: 'webhookSecrets',
      id: data.webhookSecretId,
      doc: { ...createdWebhookSecret(data, occurredAt), createdPosition: position },
    },
  ],
  WebhookSecretResealed: ({ webhookSecretId, sealedSecret }) => [
    { patch: 'webhookSecrets', id: webhookSecretId, set: { sealedSecret } },
  ],
  WebhookSecretDeleted: ({ webhookSecretId }) => [{ remove: 'webhookSecrets', id: webhookSecretId }],
};
