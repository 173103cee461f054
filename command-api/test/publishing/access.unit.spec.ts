import { expect } from 'chai';
import { PublishingApi } from '../support/publishingApi.js';

const message = { topic: 'a/b/c', data: 1 };

describe('[HTTP-PUB-1] who publishes over HTTP', () => {
  let api: PublishingApi;

  beforeEach(async () => void (api = await PublishingApi.open()));
  afterEach(() => api.close());

  const refused = async (key: string | undefined, status: number, text: string): Promise<void> => {
    const answer = await api.post(message, key);
    expect([answer.status, answer.body.message]).to.eql([status, text]);
    expect(api.calls).to.eql([]);
  };

  it('has an API key of a project', async () => {
    await refused('nonsense', 401, 'Invalid or expired API key');
    await refused('a.b.c', 401, 'Token type not allowed for this route');
    const ofOrganization = api.newKey({ projectId: null });
    await refused(ofOrganization, 403, 'API key must be project-scoped to access this endpoint');
    expect(api.refusals.map(({ status, reason, route }) => ({ status, reason, route }))).to.eql([
      { status: 403, reason: 'not_project_scoped', route: '/v1/publish' },
    ]);
  });

  it('needs the permission publish:write', async () => {
    const without = api.newKey({ permissions: ['rooms:write', 'publish:read'] });
    await refused(without, 403, 'API key lacks the permission publish:write');
    expect(api.refusals.map(({ reason }) => reason)).to.eql(['permission_missing']);
    expect((await api.post(message, api.newKey({ permissions: ['publish:write'] }))).status).to.equal(200);
  });

  it('is not of a suspended organization', async () => {
    api.organization = { status: 'suspended' };
    await refused(undefined, 403, 'Organization is suspended');
  });

  it('is measured as other routes are', async () => {
    await api.post(message);
    const routes: string[] = [];
    await api.metrics.collect({
      value: () => undefined,
      distribution: (_name, _times, labels) => void routes.push(Object.values(labels ?? {}).join(' ')),
    } as Parameters<typeof api.metrics.collect>[0]);
    expect(routes).to.eql(['POST /v1/publish 200']);
  });
});
