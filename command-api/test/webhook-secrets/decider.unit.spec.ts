import type { WebhookSecretEvent } from '@roomwire/shared/domain/webhookSecret';
import { webhookSecretsDecider, type WebhookSecretCommand } from '../../src/webhook-secrets/decider.js';
import { sentences } from '../support/deciders.js';

const given = sentences(webhookSecretsDecider);

const sealed = (masterKeyId: string) => ({ masterKeyId, iv: 'i', ciphertext: 'c', tag: 't' });
const secret = (id: string) => ({
  ...{ webhookSecretId: id, projectId: 'p1', name: 'S', sealedSecret: sealed('k1') },
});
const create = (id: string): WebhookSecretCommand => ({ type: 'CreateWebhookSecret', secret: secret(id) });
const created = (id: string): WebhookSecretEvent => ({ type: 'WebhookSecretCreated', data: secret(id) });
const remove = (id: string): WebhookSecretCommand => ({ type: 'DeleteWebhookSecret', webhookSecretId: id });
const removed = (id: string): WebhookSecretEvent => ({
  type: 'WebhookSecretDeleted',
  data: { webhookSecretId: id },
});
const reencrypt = (id: string, key: string): WebhookSecretCommand => ({
  ...{ type: 'ReencryptWebhookSecret', webhookSecretId: id, sealedSecret: sealed(key) },
});

describe('the webhook secrets of a project', () => {
  it('are at most two', () => {
    given().when(create('a')).then(created('a'));
    given(created('a')).when(create('b')).then(created('b'));
    given(created('a'), created('b')).when(create('c')).thenRejected('webhook_secrets_full');
    given(created('a'), created('b'), removed('a')).when(create('c')).then(created('c'));
  });

  it('are created once', () => {
    given(created('a')).when(create('a')).thenNothing();
  });

  it('are deleted once', () => {
    given(created('a')).when(remove('a')).then(removed('a'));
    for (const events of [[], [created('b')], [created('a'), removed('a')]])
      given(...events)
        .when(remove('a'))
        .thenRejected('webhook_secret_not_found', { webhookSecretId: 'a' });
  });

  it('are re-encrypted with another master key while they exist', () => {
    const reencrypted: WebhookSecretEvent = {
      type: 'WebhookSecretResealed',
      data: { webhookSecretId: 'a', sealedSecret: sealed('k2') },
    };
    given(created('a')).when(reencrypt('a', 'k2')).then(reencrypted);
    given(created('a'), reencrypted).when(reencrypt('a', 'k2')).thenNothing();
    given(created('a'), removed('a')).when(reencrypt('a', 'k2')).thenNothing();
  });
});
