import type { HappenedEvent } from './eventEnvelope.js';
import type { SealedSecret } from './signingKey.js';

/** Maximum number of valid secrets: one, and its successor during a rotation. */
export const mostWebhookSecrets = 2;

export interface WebhookSecretFields {
  readonly webhookSecretId: string;
  readonly projectId: string;
  readonly name: string;
  /** The secret as shown, bound to the `webhookSecretId`. */
  readonly sealedSecret: SealedSecret;
}

/** The secret that signs the webhook calls of a project. */
export interface WebhookSecret extends WebhookSecretFields {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type WebhookSecretEvent =
  | { readonly type: 'WebhookSecretCreated'; readonly data: WebhookSecretFields }
  /** The same secret under another master key. */
  | {
      readonly type: 'WebhookSecretResealed';
      readonly data: { readonly webhookSecretId: string; readonly sealedSecret: SealedSecret };
    }
  | { readonly type: 'WebhookSecretDeleted'; readonly data: { readonly webhookSecretId: string } };

/** All secrets of a project share a stream: their number is limited together. */
export const webhookSecretsStream = (projectId: string): string => `webhookSecrets-${projectId}`;

export const createdWebhookSecret = (fields: WebhookSecretFields, at: string): WebhookSecret => ({
  ...fields,
  createdAt: at,
  updatedAt: at,
});

export const evolveWebhookSecret = (
  secret: WebhookSecret | undefined,
  event: HappenedEvent<WebhookSecretEvent>,
): WebhookSecret | undefined => {
  switch (event.type) {
    case 'WebhookSecretCreated':
      return createdWebhookSecret(event.data, event.occurredAt);
    case 'WebhookSecretResealed':
      return secret && { ...secret, sealedSecret: event.data.sealedSecret };
    case 'WebhookSecretDeleted':
      return undefined;
  }
};
