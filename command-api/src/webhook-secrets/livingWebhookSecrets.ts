import {
  evolveWebhookSecret,
  type WebhookSecret,
  type WebhookSecretEvent,
} from '@roomwire/shared/domain/webhook-secrets/webhookSecret';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import { createLivingSecrets, type LivingSecrets } from '../resealing/livingSecrets.js';

export const createLivingWebhookSecrets = (log: EventLog): LivingSecrets<WebhookSecret> =>
  createLivingSecrets<WebhookSecret, WebhookSecretEvent>(log, {
    types: ['WebhookSecretCreated', 'WebhookSecretResealed', 'WebhookSecretDeleted'],
    idIn: ({ data }) => data.webhookSecretId,
    evolve: evolveWebhookSecret,
  });
