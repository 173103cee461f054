import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import { expectTime } from '../../support/shapes.js';
import { startTestService, type TestService } from '../../support/testService.js';

describe('the time of last use', () => {
  let service: TestService;

  before(async () => void (service = await startTestService()));
  after(() => service.close());

  it('is shown for an actor that has connected, in every answer, and for no other', async () => {
    const { project, socketUrl } = service;
    const [used, unused] = await Promise.all(
      ['used', 'unused'].map(
        async (name) => (await project.post('/actors', { name, actorType: 'user' })).body,
      ),
    );
    expect([used.lastUsedAt, unused.lastUsedAt]).to.eql([null, null]);
    expect((await project.get(`/actors/${used.actorTokenId}`)).body.lastUsedAt).to.equal(null);

    const before = new Date().toISOString();
    const client = connect({ url: socketUrl, token: used.accessToken, reconnect: false });
    await client.ready();
    const get = async (actorId: string) => (await project.get(`/actors/${actorId}`)).body;
    await eventually(async () => (await get(used.actorTokenId)).lastUsedAt !== null, { withinMs: 10_000 });
    const { lastUsedAt } = await get(used.keyId);
    expectTime(lastUsedAt);
    expect(lastUsedAt >= before && lastUsedAt <= new Date().toISOString()).to.equal(true);

    const actors: any[] = (await project.get('/actors')).body;
    const listed = new Map(actors.map((actor) => [actor.actorTokenId, actor]));
    expect(listed.get(used.actorTokenId)).to.include({ lastUsedAt });
    expect(listed.get(unused.actorTokenId)).to.include({ lastUsedAt: null });
    const { body: changed } = await project.patch(`/actors/${used.actorTokenId}`, { name: 'renamed' });
    expect(changed).to.include({ name: 'renamed', lastUsedAt });
    await client.close();
  });

  it('is shown for an API key that has authorized a request', async () => {
    const { operator, credentials } = service;
    const { organizationId, projectId } = credentials;
    const keys = `/organizations/${organizationId}/projects/${projectId}/api-keys`;
    const [used, unused] = await Promise.all(
      ['used', 'unused'].map(async (name) => (await operator.post(keys, { name })).body),
    );
    expect(used.lastUsedAt).to.equal(null);
    await service.client(used.apiKey).get('/apps');
    await service.client(`${unused.apiKey}x`).get('/apps');
    const usesOf = async () => {
      const listed: any[] = (await operator.get(keys)).body.data;
      return new Map(listed.map(({ apiKeyId, lastUsedAt }) => [apiKeyId, lastUsedAt]));
    };
    await eventually(async () => (await usesOf()).get(used.apiKeyId) !== null, { withinMs: 10_000 });
    expectTime((await usesOf()).get(used.apiKeyId));
    expect((await usesOf()).get(unused.apiKeyId)).to.equal(null);
  });
});
