import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../../../support/apiClient.js';
import { actorOf } from '../../../support/hookedApp.js';
import {
  expectApplicationError,
  expectFrameworkError,
  expectValidationError,
} from '../../../support/shapes.js';
import { startTestService, type TestProject, type TestService } from '../../../support/testService.js';

interface Found {
  readonly total: number;
  readonly data: readonly {
    readonly actorTokenId: string;
    readonly name: string | null;
    readonly address: string;
    readonly scope: string | null;
    readonly rule: string;
    readonly connections: number;
  }[];
}

describe('whom a change would cut off', () => {
  let service: TestService;
  let owner: TestProject;
  let project: ApiClient;
  let app: string;
  let room: string;
  let slug: string;
  const clients: Client[] = [];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    owner = await service.newProject();
    project = owner.client;
    const made = (await project.post('/apps', { name: 'house', topics: ['chat', 'news'] })).body;
    ({ slug } = made);
    app = `/apps/${made.appId}`;
    room = `${app}/rooms/${(await project.post(`${app}/rooms`, { name: 'hall' })).body.roomId}`;
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  /** An actor that is subscribed, on so many connections. */
  const subscriber = async (topic: string, fields: object = {}, connections = 1): Promise<string> => {
    const { accessToken: token, actorTokenId } = await actorOf(project, fields);
    for (let at = 0; at < connections; at += 1) {
      const client = connect({ url: service.socketUrl, token, reconnect: false });
      clients.push(client);
      await client.ready();
      await client.subscribe(`${slug}/${topic}`, () => undefined);
    }
    return actorTokenId;
  };
  const ask = (method: string, path: string, body?: unknown, client = project) =>
    client.post('/impact', { method, path: `/v1${path}`, ...(body !== undefined && { body }) });
  const impactOf = async (...asked: Parameters<typeof ask>): Promise<Found> => {
    const { status, body } = await ask(...asked);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };

  it('[HTTP-IMPACT-1] names the subscriptions that a first grant would end, and changes nothing', async () => {
    const device = await subscriber('hall/chat', { actorType: 'device' });
    const user = await subscriber('hall/chat', { actorType: 'user', name: 'Ann' }, 2);
    await subscriber('hall/news', { actorType: 'device' });
    const grant = { actorType: 'device', permission: 'pubSub', topics: ['chat'] };
    const { total, data } = await impactOf('POST', `${room}/actors`, grant);
    expect(total).to.equal(3);
    const row = { address: `${slug}/hall/chat`, scope: null, rule: 'grant_missing', connections: 2 };
    expect(data[0]).to.deep.equal({ actorTokenId: user, name: 'Ann', ...row });
    expect(data[1]).to.include({ address: `${slug}/hall/news`, rule: 'grant_other_topics', connections: 1 });
    expect(data.map(({ actorTokenId }) => actorTokenId)).to.not.include(device);
    expect((await project.get(`${room}/actors`)).body).to.deep.equal([]);

    // What was foretold comes about.
    expect((await project.post(`${room}/actors`, grant)).status).to.equal(201);
    const appId = app.split('/')[2];
    const left = async (): Promise<number> =>
      (await project.get(`/apps/${appId}/occupancy?rooms=hall`)).body.data[0].subscribers;
    await eventually(async () => (await left()) === 1);
    expect(
      (await impactOf('POST', `${room}/actors`, { actorType: 'user', permission: 'pubSub' })).total,
    ).to.equal(0);
    const [kept] = (await project.get(`${room}/actors`)).body;
    expect(await impactOf('DELETE', `${room}/actors/${kept.roomActorAccessId}`)).to.deep.equal({
      data: [],
      total: 0,
    });
  });

  it('[HTTP-IMPACT-1] tells of apps and rooms that are changed or deleted, in every scope', async () => {
    const { accessScopeId } = (await project.post('/scopes', { slug: 'tenant-a', name: 'A' })).body;
    const inScope = await subscriber('hall/chat', { accessScopeId });
    await subscriber('hall/news');
    const rulesOf = async (...asked: Parameters<typeof ask>) =>
      (await impactOf(...asked)).data.map(({ rule }) => rule);
    const all = (rule: string) => [rule, rule];
    expect(await rulesOf('PATCH', app, { status: 'disabled' })).to.deep.equal(all('app_inactive'));
    expect(await rulesOf('PATCH', app, { slug: 'villa' })).to.deep.equal(all('app_missing'));
    expect(await rulesOf('PATCH', app, { config: { accessMode: 'private' } })).to.deep.equal(
      all('access_mode_private'),
    );
    expect(await rulesOf('PATCH', app, { topics: ['news'] })).to.deep.equal(['topic_not_exposed']);
    expect(await rulesOf('PATCH', app, { description: 'new' })).to.deep.equal([]);
    expect(await rulesOf('DELETE', app)).to.deep.equal(all('app_missing'));
    expect(await rulesOf('PATCH', room, { status: 'disabled' })).to.deep.equal(all('room_inactive'));
    expect(await rulesOf('DELETE', room)).to.deep.equal(all('room_missing'));
    const { data } = await impactOf('PATCH', room, { topics: ['news'] });
    expect(data).to.have.length(1);
    expect(data[0]).to.include({ actorTokenId: inScope, scope: 'tenant-a', rule: 'topic_not_exposed' });
    expect((await project.get(app)).body).to.include({ status: 'active', slug });
  });

  it('[HTTP-IMPACT-1] leaves out observers of the console', async () => {
    const { organizationId, projectId } = owner;
    const access = `/organizations/${organizationId}/projects/${projectId}/console-access`;
    const { token } = (await service.operator.post(access)).body;
    const client = connect({ url: service.socketUrl, token, reconnect: false });
    clients.push(client);
    await client.subscribe(`${slug}/hall/chat`, () => undefined);
    expect(await impactOf('DELETE', room)).to.deep.equal({ data: [], total: 0 });
  });

  it('[HTTP-IMPACT-2] is refused as the change would be', async () => {
    expectValidationError(await ask('PATCH', app, { status: 'gone' }), 'status');
    expectValidationError(await ask('PATCH', app), '');
    expectValidationError(await ask('PUT', app), 'method');
    const unknownId = randomUUID();
    expect((await ask('DELETE', `/apps/${unknownId}`)).status).to.equal(404);
    expect((await ask('DELETE', `${app}/rooms/${unknownId}`)).status).to.equal(404);
    const { body: other } = await project.post('/apps', { name: 'other' });
    expect((await ask('PATCH', app, { slug: other.slug })).status).to.equal(409);
    for (const path of ['/apps', '/apps/x', '/actors', `${app}/reset-to-blueprint`, `${app}/`])
      expectApplicationError(
        await ask('POST', path, {}),
        400,
        'Not a change of an app, a room or a grant that can be assumed',
      );
    const stranger = (await service.newProject()).client;
    expect((await ask('DELETE', app, undefined, stranger)).status).to.equal(404);
  });

  it('[HTTP-IMPACT-2] needs the permission of the change, too', async () => {
    const keys = `/organizations/${owner.organizationId}/projects/${owner.projectId}/api-keys`;
    const keyWith = async (...permissions: string[]): Promise<ApiClient> =>
      service.client((await service.operator.post(keys, { name: 'K', permissions })).body.apiKey);
    const lacks = (permission: string) => `API key lacks the permission ${permission}`;
    const reader = await keyWith('grants:read');
    expectFrameworkError(
      await ask('DELETE', room, undefined, reader),
      403,
      lacks('rooms:write'),
      'Forbidden',
    );
    const writer = await keyWith('rooms:write');
    expectFrameworkError(
      await ask('DELETE', room, undefined, writer),
      403,
      lacks('grants:read'),
      'Forbidden',
    );
    expect(
      (await ask('DELETE', room, undefined, await keyWith('rooms:write', 'grants:read'))).status,
    ).to.equal(200);
  });
});
