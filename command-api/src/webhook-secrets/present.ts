import type { WebhookSecret } from '@roomwire/shared/domain/webhook-secrets/webhookSecret';

export const presentWebhookSecret = (secret: WebhookSecret) => ({
  webhookSecretId: secret.webhookSecretId,
  projectId: secret.projectId,
  name: secret.name,
  createdAt: secret.createdAt,
  updatedAt: secret.updatedAt,
});
