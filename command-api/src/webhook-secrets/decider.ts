import type { SealedSecret } from '@roomwire/shared/domain/signingKey';
import {
  evolveWebhookSecret,
  mostWebhookSecrets,
  webhookSecretsStream,
  type WebhookSecret,
  type WebhookSecretEvent,
  type WebhookSecretFields,
} from '@roomwire/shared/domain/webhookSecret';
import { targetOf, type Decider } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';

export type WebhookSecretCommand =
  | { readonly type: 'CreateWebhookSecret'; readonly secret: WebhookSecretFields }
  /** The same secret under another master key. Ignored for one that was deleted, or is under it already. */
  | {
      readonly type: 'ReencryptWebhookSecret';
      readonly webhookSecretId: string;
      readonly sealedSecret: SealedSecret;
    }
  | { readonly type: 'DeleteWebhookSecret'; readonly webhookSecretId: string };

/** The secrets of a project, by id. */
export type WebhookSecretsState = ReadonlyMap<string, WebhookSecret>;

export const webhookSecretsDecider: Decider<WebhookSecretsState, WebhookSecretCommand, WebhookSecretEvent> = {
  initial: () => new Map(),
  evolve(secrets, event) {
    const { webhookSecretId } = event.data;
    const { [webhookSecretId]: before, ...others } = Object.fromEntries(secrets);
    const after = evolveWebhookSecret(before, event);
    return new Map(Object.entries(after ? { ...others, [webhookSecretId]: after } : others));
  },
  decide(command, secrets) {
    switch (command.type) {
      case 'CreateWebhookSecret':
        if (secrets.has(command.secret.webhookSecretId)) return [];
        if (secrets.size >= mostWebhookSecrets) throw new Rejection('webhook_secrets_full', {});
        return [{ type: 'WebhookSecretCreated', data: command.secret }];
      case 'ReencryptWebhookSecret': {
        const { webhookSecretId, sealedSecret } = command;
        const before = secrets.get(webhookSecretId)?.sealedSecret.masterKeyId;
        const isDue = before !== undefined && before !== sealedSecret.masterKeyId;
        return isDue ? [{ type: 'WebhookSecretResealed', data: { webhookSecretId, sealedSecret } }] : [];
      }
      case 'DeleteWebhookSecret': {
        const { webhookSecretId } = existing(secrets, command.webhookSecretId);
        return [{ type: 'WebhookSecretDeleted', data: { webhookSecretId } }];
      }
    }
  },
};

export const webhookSecretsTarget = targetOf(webhookSecretsStream, webhookSecretsDecider);

export const existing = (secrets: WebhookSecretsState, webhookSecretId: string): WebhookSecret => {
  const secret = secrets.get(webhookSecretId);
  if (secret === undefined) throw new Rejection('webhook_secret_not_found', { webhookSecretId });
  return secret;
};
