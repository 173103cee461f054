import type { ApiKeyEvent, ApiKeyFields } from '@roomwire/shared/domain/apiKey';
import { apiKeyDecider, type ApiKeyCommand } from '../../src/api-keys/decider.js';
import { sentences } from '../support/deciders.js';

const given = sentences(apiKeyDecider);

const fields = (projectId: string | null): ApiKeyFields => ({
  ...{ apiKeyId: 'k1', organizationId: 'o1', projectId, keyId: 'ak_live_1', name: 'Backend' },
  ...{ expiresAt: null, permissions: null, allowedAddresses: null, secretHash: '00' },
});
const created = (projectId: string | null = 'p1'): ApiKeyEvent => ({
  type: 'ApiKeyCreated',
  data: fields(projectId),
});
const revoked: ApiKeyEvent = { type: 'ApiKeyRevoked', data: { apiKeyId: 'k1' } };
const create: ApiKeyCommand = { type: 'CreateApiKey', apiKey: fields('p1') };
const revoke = (organizationId: string, projectId: string | null): ApiKeyCommand => ({
  ...{ type: 'RevokeApiKey', apiKeyId: 'k1', organizationId, projectId },
});

describe('an API key', () => {
  it('is created once', () => {
    given().when(create).then(created());
    given(created()).when(create).thenNothing();
  });

  it('is revoked by its project, or by its organization where it has none', () => {
    given(created()).when(revoke('o1', 'p1')).then(revoked);
    given(created(null)).when(revoke('o1', null)).then(revoked);
  });

  it('does not exist elsewhere, before its creation or once it is revoked', () => {
    for (const { past, command } of [
      { past: [created()], command: revoke('o2', 'p1') },
      { past: [created()], command: revoke('o1', 'p2') },
      { past: [created()], command: revoke('o1', null) },
      { past: [created(null)], command: revoke('o1', 'p1') },
      { past: [], command: revoke('o1', 'p1') },
      { past: [created(), revoked], command: revoke('o1', 'p1') },
    ])
      given(...past)
        .when(command)
        .thenRejected('api_key_not_found', { apiKeyId: 'k1' });
  });
});
