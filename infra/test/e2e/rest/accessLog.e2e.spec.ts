import { expect } from 'chai';
import { mintSessionToken, type NewSession } from '@roomwire/shared/credentials/sessionToken';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../../support/apiClient.js';
import { startTestService, type TestService } from '../../support/testService.js';

const sessionSecret = new Uint8Array(32).fill(7);
const earlier = { ...systemClock, now: () => systemClock.now() - 5_000 };

describe('the access log', () => {
  let service: TestService;
  let organizationId: string;
  let projectId: string;
  let path: string;
  let admin: ApiClient;

  before(async () => void (service = await startTestService({ sessionSecret, trustedProxies: 1 })));
  after(() => service.close());
  beforeEach(async () => {
    ({ organizationId, projectId } = await service.newProject());
    path = `/organizations/${organizationId}`;
    admin = await session({ subject: 'admin' });
  });

  const session = async (claims: Partial<NewSession>): Promise<ApiClient> => {
    const all = { subject: 'ada', organizationIds: [organizationId], isOperator: false, ...claims };
    return service.client(await mintSessionToken(sessionSecret, all, 3_600, earlier));
  };
  const newKey = async (fields: object = {}) =>
    (await admin.post(`${path}/projects/${projectId}/api-keys`, { name: 'K', ...fields })).body as {
      keyId: string;
      apiKey: string;
    };
  const entries = async (query = ''): Promise<any[]> =>
    (await admin.get(`${path}/access-log${query}`)).body.data;
  /** How often each reason was, in entries that may be of two minutes. */
  const counts = async (): Promise<Record<string, number>> => {
    const sums: Record<string, number> = {};
    for (const { reason, count } of await entries()) sums[reason] = (sums[reason] ?? 0) + count;
    return sums;
  };
  const whenCounted = (reason: string, count: number) =>
    eventually(async () => (await counts())[reason] === count, { what: `${count} of ${reason}` });

  it('has what an API key lacks the right for, as one entry with a count', async () => {
    const { keyId, apiKey } = await newKey({ permissions: ['apps:read'] });
    const limited = service.client(apiKey);
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    for (let n = 0; n < 12; n += 1)
      expect((await limited.send('/apps', { method: 'POST', headers })).status).to.equal(403);
    expect((await limited.get('/apps')).status).to.equal(200);
    await whenCounted('permission_missing', 12);
    const found = await entries();
    expect(found.length).to.be.lessThan(3);
    const { at, count, ...entry } = found.at(-1);
    expect([Date.parse(at) <= Date.now(), count > 0]).to.eql([true, true]);
    expect(entry).to.eql({
      ...{ organizationId, projectId, principal: `apiKey:${keyId}`, address: '203.0.113.7' },
      ...{ method: 'POST', route: '/v1/apps', status: 403, reason: 'permission_missing' },
    });
  });

  it('has failed authentication of a known key, whatever it was for, and never its secret', async () => {
    const { keyId, apiKey } = await newKey();
    const wrong = service.client(`${apiKey.slice(0, -8)}AAAAAAAA`);
    for (const route of ['/apps', '/actors', '/scopes', '/apps'])
      expect((await wrong.get(route)).status).to.equal(401);
    const stranger = service.client('ak_live_0123456789abcdef01234567.secretsecretsecret');
    expect((await stranger.get('/apps')).status).to.equal(401);
    const expired = await newKey({ expiresAt: new Date(Date.now() + 1_000).toISOString() });
    const late = service.client(expired.apiKey);
    await eventually(async () => (await late.get('/apps')).status === 401);
    const elsewhere = await newKey({ allowedAddresses: ['192.0.2.0/24'] });
    expect((await service.client(elsewhere.apiKey).get('/apps')).status).to.equal(403);
    await whenCounted('address_not_allowed', 1);
    const sums = await counts();
    expect(sums['expired']).to.be.greaterThan(0);
    expect({ ...sums, expired: 0 }).to.eql({ address_not_allowed: 1, expired: 0, wrong_secret: 4 });
    const all = await entries();
    expect(all.filter(({ reason }) => reason === 'wrong_secret').length).to.be.lessThan(3);
    const principals = new Set(all.map(({ principal }) => principal));
    expect([...principals]).to.have.members(
      [keyId, expired.keyId, elsewhere.keyId].map((id) => `apiKey:${id}`),
    );
    expect(JSON.stringify(all)).to.not.include(apiKey.slice(-20, -8));
  });

  it('has sessions that were revoked, that lack a role, and that meet a suspended organization', async () => {
    const ada = await session({});
    await admin.post(`${path}/session-revocations`, { subject: 'ada' });
    expect((await ada.get(path)).status).to.equal(401);
    await whenCounted('session_revoked', 1);
    expect((await entries())[0]).to.include({ principal: 'session:ada', projectId: null, status: 401 });

    const viewer = await session({
      subject: 'vi',
      roles: { [organizationId]: 'viewer' },
    });
    expect((await viewer.post(`${path}/projects`, { name: 'P' })).status).to.equal(403);
    await whenCounted('role_required', 1);
    await service.operator.patch(path, { status: 'suspended' });
    expect((await admin.post(`${path}/projects`, { name: 'P' })).status).to.equal(403);
    await whenCounted('organization_suspended', 1);
    expect((await entries('?reason=organization_suspended'))[0]).to.include({
      principal: 'session:admin',
      route: '/v1/organizations/{orgId}/projects',
    });
  });

  it('has what the socket refused, and connections that were ended', async () => {
    const {
      client,
      organizationId: id,
      projectId: project,
    } = await service.newProject({ maxConnections: 1 });
    organizationId = id;
    path = `/organizations/${id}`;
    admin = await session({ subject: 'admin' });
    const newActor = async () =>
      (await client.post('/actors', { name: 'x', actorType: 'user' })).body as {
        actorTokenId: string;
        accessToken: string;
      };
    const [actor, other] = [await newActor(), await newActor()];
    const attempt = async (token: string) => {
      const socket = await FrameClient.connect(service.socketUrl);
      const answer = (await socket.ask({ type: 'auth', token })) as { readonly error?: string };
      return { socket, error: answer.error };
    };
    const wrong = `${actor.accessToken.slice(0, -8)}AAAAAAAA`;
    for (let n = 0; n < 3; n += 1) expect((await attempt(wrong)).error).to.equal('access_denied');
    const admitted = await attempt(actor.accessToken);
    expect(admitted.error).to.equal(undefined);
    expect((await attempt(other.accessToken)).error).to.equal('connection_limit_reached');
    await client.patch(`/actors/${actor.actorTokenId}`, { status: 'disabled' });
    expect((await admitted.socket.closed).code).to.equal(4001);

    await whenCounted('wrong_secret', 3);
    await whenCounted('connection_limit', 1);
    await whenCounted('actor_disabled', 1);
    const [actorId, secret = ''] = actor.accessToken.split('.');
    const [otherId] = other.accessToken.split('.');
    const of = async (reason: string) => (await entries(`?reason=${reason}`))[0];
    const common = { organizationId: id, projectId: project, method: 'WS' };
    expect(await of('wrong_secret')).to.include({
      ...{ ...common, principal: `actor:${actorId}`, route: 'auth', status: 401, reason: 'wrong_secret' },
    });
    expect(await of('connection_limit')).to.include({
      ...{ ...common, principal: `actor:${otherId}`, route: 'auth', status: 403, reason: 'connection_limit' },
    });
    expect(await of('actor_disabled')).to.include({
      ...{ ...common, principal: `actor:${actorId}`, route: 'connection', status: 4001 },
      reason: 'actor_disabled',
    });
    expect(JSON.stringify(await entries())).to.not.include(secret.slice(0, 16));
  });

  it('is listed in pages and by filters, for its own organization alone', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => newKey({ permissions: ['scopes:read'] })));
    for (const { apiKey } of keys) expect((await service.client(apiKey).get('/apps')).status).to.equal(403);
    await whenCounted('permission_missing', 5);
    const all = await entries();
    const paged: object[] = [];
    for (let cursor: string | null = '', pages = 0; cursor !== null && pages < 9; pages += 1) {
      const query = `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body } = await admin.get(`${path}/access-log${query}`);
      expect(body.data.length).to.be.lessThan(3);
      paged.push(...body.data);
      cursor = body.nextCursor;
    }
    expect(paged).to.eql(all);
    const principal = `apiKey:${keys[3]!.keyId}`;
    expect(await entries(`?principal=${principal}`)).to.have.length(1);
    expect(await entries(`?projectId=${projectId}&reason=permission_missing`)).to.eql(all);
    expect(await entries(`?projectId=${organizationId}`)).to.eql([]);
    expect(await entries('?reason=wrong_secret')).to.eql([]);
    const times = all.map(({ at }) => at).toSorted();
    const [from, to] = [times[0], times.at(-1)];
    expect(await entries(`?from=${from}&to=${to}`)).to.eql(all);
    expect(await entries('?from=2100-01-01T00:00:00Z')).to.eql([]);
    expect(await entries('?to=2000-01-01T00:00:00Z')).to.eql([]);
    expect((await admin.get(`${path}/access-log?cursor=x`)).status).to.equal(400);

    const other = await service.newProject();
    const foreign = `/organizations/${other.organizationId}/access-log`;
    expect((await admin.get(foreign)).status).to.equal(404);
    expect((await service.operator.get(foreign)).body).to.eql({ data: [], nextCursor: null });
  });
});
