import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken, type NewSession } from '@roomwire/shared/credentials/sessionToken';
import { permissions } from '@roomwire/shared/domain/permission';
import type { Role } from '@roomwire/shared/domain/role';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import type { ApiClient } from '../../support/apiClient.js';
import { expectApplicationError, expectFrameworkError } from '../../support/shapes.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

const sessionSecret = new Uint8Array(32).fill(7);

interface Access {
  readonly apiKey: string;
  readonly permissions: readonly string[];
  readonly token: string;
  readonly actorTokenId: string;
  readonly accessScope: unknown;
  readonly expiresAt: string;
}

describe('the access of the console', () => {
  let service: TestService;
  let owner: TestProject;
  let slug: string;

  before(async () => void (service = await startTestService({ sessionSecret })));
  after(() => service.close());
  beforeEach(async () => {
    owner = await service.newProject();
    const app = { name: 'house', topics: ['chat'], config: { accessMode: 'private' } };
    const created = (await owner.client.post('/apps', app)).body;
    ({ slug } = created);
    expect((await owner.client.post(`/apps/${created.appId}/rooms`, { name: 'hall' })).status).to.equal(201);
  });

  const session = async (fields: Partial<NewSession> = {}, seconds = 7_200): Promise<ApiClient> => {
    const of = { subject: 'ada', organizationIds: [owner.organizationId], isOperator: false, ...fields };
    return service.client(await mintSessionToken(sessionSecret, of, seconds, systemClock));
  };
  const inRole = (role: Role) => session({ roles: { [owner.organizationId]: role } });
  const path = (query = '') =>
    `/organizations/${owner.organizationId}/projects/${owner.projectId}/console-access${query}`;
  const accessOf = async (client: ApiClient, query = ''): Promise<Access> => {
    const { status, body } = await client.post(path(query));
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };
  const openClients: FrameClient[] = [];
  afterEach(() => {
    for (const client of openClients.splice(0)) client.terminate();
  });
  const observe = async ({ token }: Access): Promise<FrameClient> => {
    const client = await FrameClient.join(service.socketUrl, token);
    openClients.push(client);
    return client;
  };
  const list = async (what: string, client = owner.client): Promise<unknown[]> =>
    (await client.get(what)).body.data ?? [];

  it('opens the project for an hour, and leaves nothing behind in its lists', async () => {
    const admin = await session();
    const before = Date.now();
    const access = await accessOf(admin);
    expect(Date.parse(access.expiresAt) - before).to.be.within(3_599_000, 3_660_000);
    expect(access.permissions).to.have.members([...permissions]);
    const client = service.client(access.apiKey);
    expect(await list('/apps', client)).to.have.length(1);
    const observer = await observe(access);
    expect(await observer.ask({ type: 'subscribe', topic: `${slug}/hall/chat` })).to.include({
      type: 'subscribed',
    });
    const message = { topic: `${slug}/hall/chat`, data: { seen: true } };
    expect((await client.post('/publish', message)).status).to.be.oneOf([200, 202]);
    expect(await observer.next()).to.deep.include({ type: 'message', data: { seen: true } });
    const keys = `/organizations/${owner.organizationId}/projects/${owner.projectId}/api-keys`;
    expect(await list(keys, admin)).to.have.length(1);
    const { body: actors } = await owner.client.get('/actors');
    expect(actors).to.deep.equal([]);
  });

  it('is that of the role, and a viewer sees no credentials of webhooks', async () => {
    const triggerWebhook = {
      url: 'https://example.com/hook?key=of-the-query',
      headers: { 'X-Key': 'of-the-header' },
    };
    const { appId } = (await owner.client.post('/apps', { name: 'hooked', triggerWebhook })).body;
    const [viewer, editor] = [await accessOf(await inRole('viewer')), await accessOf(await inRole('editor'))];
    const [asViewer, asEditor] = [service.client(viewer.apiKey), service.client(editor.apiKey)];
    expect(viewer.permissions.every((permission) => permission.endsWith(':read'))).to.equal(true);
    expectFrameworkError(
      await asViewer.post('/apps', { name: 'x' }),
      403,
      'API key lacks the permission apps:write',
      'Forbidden',
    );
    expect((await asEditor.post('/apps', { name: 'edited' })).status).to.equal(201);
    expect((await asEditor.post('/actors', { name: 'a', actorType: 'user' })).status).to.equal(403);
    for (const at of [`/apps/${appId}`, '/apps']) {
      const [seen, shown] = [await asViewer.get(at), await asEditor.get(at)].map(({ body }) =>
        JSON.stringify(body),
      );
      expect(seen).to.not.match(/of-the-(query|header)/);
      expect(seen).to.contain('[hidden]');
      expect(shown).to.contain('of-the-query').and.to.contain('of-the-header');
    }
  });

  it('of an operator writes in a suspended organization, and that of a member reads', async () => {
    const keyOf = async (client: ApiClient) => service.client((await accessOf(client)).apiKey);
    const operator = await keyOf(await session({ isOperator: true, organizationIds: [] }));
    const member = await keyOf(await session());
    await service.operator.patch(`/organizations/${owner.organizationId}`, { status: 'suspended' });
    expect(await list('/apps', member)).to.have.length(1);
    const refused = await member.post('/apps', { name: 'by a member' });
    expectFrameworkError(refused, 403, 'Organization is suspended', 'Forbidden');
    expect((await operator.post('/apps', { name: 'by an operator' })).status).to.equal(201);
  });

  it('observes the rooms of a scope', async () => {
    const { accessScopeId } = (await owner.client.post('/scopes', { slug: 'tenant-a', name: 'A' })).body;
    const viewer = await inRole('viewer');
    const access = await accessOf(viewer, `?scope=${accessScopeId}`);
    expect(access.accessScope).to.deep.equal({ accessScopeId, slug: 'tenant-a', name: 'A' });
    const observer = await observe(access);
    const topic = `${slug}/hall/chat`;
    expect(await observer.ask({ type: 'subscribe', topic })).to.include({ type: 'subscribed' });
    for (const fields of [{ data: 'outside' }, { data: 'inside', scope: 'tenant-a' }])
      await owner.client.post('/publish', { topic, ...fields });
    expect(await observer.next()).to.deep.include({ data: 'inside' });
    const stranger = randomUUID();
    expectApplicationError(
      await viewer.post(path(`?scope=${stranger}`)),
      404,
      `Access scope ${stranger} not found`,
    );
  });

  it('is in the audit, and so is what is done with it, under the name of the session', async () => {
    const editor = await inRole('editor');
    const access = await accessOf(editor);
    await service.client(access.apiKey).post('/apps', { name: 'by hand' });
    const audit = async (type: string): Promise<any> =>
      (await editor.get(`/organizations/${owner.organizationId}/audit?type=${type}`)).body.data[0];
    const given = await audit('ConsoleAccessGiven');
    expect(given).to.include({ principal: 'session:ada' });
    expect(given.data).to.include({
      projectId: owner.projectId,
      role: 'editor',
      expiresAt: access.expiresAt,
    });
    expect(await audit('AppCreated')).to.include({ principal: 'session:ada' });
  });

  it('ends with the session, and is not of another organization', async () => {
    const ada = await session();
    const access = await accessOf(ada);
    const observer = await observe(access);
    const other = await session({ organizationIds: [randomUUID()] });
    expect((await other.post(path())).status).to.equal(404);
    const revocations = `/organizations/${owner.organizationId}/session-revocations`;
    const { body: mine } = await ada.get(
      `/organizations/${owner.organizationId}/audit?type=ConsoleAccessGiven`,
    );
    expect(mine.data).to.have.length(1);
    // Of its second: revocations of a subject are about the sessions of earlier ones.
    const tokenId = JSON.parse(Buffer.from(access.token.split('.')[1] ?? '', 'base64url').toString()).roomwire
      .observer.session.tokenId;
    expect((await service.operator.post(revocations, { jti: tokenId })).status).to.equal(201);
    expect(await observer.closed).to.deep.equal({ code: 4001, reason: 'token_revoked' });
    expectApplicationError(
      await service.client(access.apiKey).get('/apps'),
      401,
      'Invalid or expired API key',
    );
  });

  it('ends no later than the session, and is refused where it was changed', async () => {
    const access = await accessOf(await session({}, 60));
    expect(Date.parse(access.expiresAt)).to.be.below(Date.now() + 61_000);
    const [payload = '', signature = ''] = access.apiKey.slice('ak_console_'.length).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, role: 'admin' })).toString('base64url');
    for (const key of [
      `ak_console_${forged}.${signature}x`,
      `ak_console_${payload}`,
      'ak_console_',
      `ak_console_${payload}.${'A'.repeat(43)}`,
    ])
      expect((await service.client(key).get('/apps')).status, key).to.equal(401);
  });
});
