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
  /** Of the change of an actor. */
  readonly connections?: number;
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

  it('[HTTP-IMPACT-3] tells of the connections of an actor that is disabled, deleted or expires', async () => {
    const ann = await subscriber('hall/chat', { actorType: 'user', name: 'Ann' }, 2);
    await subscriber('hall/chat', { actorType: 'user' });
    const silent = await actorOf(project, { name: 'Silent' });
    const client = connect({ url: service.socketUrl, token: silent.accessToken, reconnect: false });
    clients.push(client);
    await client.ready();
    const row = { actorTokenId: ann, name: 'Ann', address: `${slug}/hall/chat`, scope: null, connections: 2 };
    const ended = (rule: string) => ({ data: [{ ...row, rule }], total: 2, connections: 2 });
    const path = `/actors/${ann}`;
    expect(await impactOf('PATCH', path, { status: 'disabled' })).to.eql(ended('actor_disabled'));
    expect(await impactOf('PATCH', path, { expiresAt: '2020-01-01T00:00:00Z' })).to.eql(
      ended('actor_expired'),
    );
    expect(await impactOf('DELETE', path)).to.eql(ended('actor_missing'));
    const { keyId } = (await project.get(path)).body;
    expect(await impactOf('DELETE', `/actors/${keyId}`)).to.eql(ended('actor_missing'));
    expect(await impactOf('DELETE', `/actors/${silent.actorTokenId}`)).to.eql({
      ...{ data: [], total: 0, connections: 1 },
    });
    const nobody = { data: [], total: 0, connections: 0 };
    for (const body of [{}, { name: 'Anna' }, { status: 'active' }, { expiresAt: '2999-01-01T00:00:00Z' }])
      expect(await impactOf('PATCH', path, body), JSON.stringify(body)).to.eql(nobody);
    expect((await project.get(path)).body).to.include({ name: 'Ann', status: 'active', expiresAt: null });

    // What was foretold comes about.
    expect((await project.patch(path, { status: 'disabled' })).status).to.equal(200);
    const appId = app.split('/')[2];
    await eventually(
      async () => (await project.get(`/apps/${appId}/occupancy?rooms=hall`)).body.data[0].subscribers === 1,
    );
    for (const method of ['PATCH', 'DELETE'])
      expect(await impactOf(method, path, method === 'PATCH' ? { status: 'disabled' } : undefined)).to.eql(
        nobody,
      );
  });

  it('[HTTP-IMPACT-3] tells of an actor that moves into a scope, and takes no place in it', async () => {
    const actor = await subscriber('hall/chat');
    const made = (await project.post('/scopes', { slug: 'tenant-b', name: 'B' })).body;
    const scope = `/scopes/${made.accessScopeId}`;
    const move = { accessScopeId: made.accessScopeId };
    expect(await impactOf('PATCH', `/actors/${actor}`, move)).to.include({ total: 0, connections: 0 });
    expect((await project.patch(scope, { isActive: false })).status).to.equal(200);
    const { data, connections } = await impactOf('PATCH', `/actors/${actor}`, move);
    expect(connections).to.equal(1);
    expect(data[0]).to.include({ rule: 'scope_inactive', scope: null });
    expect((await project.get(`/actors/${actor}`)).body.accessScopeId).to.equal(null);
    // An actor in it, even one that nobody knows of, would keep it from being deleted.
    expect((await project.delete(scope)).status).to.equal(204);
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
        'Not a change of an app, a room, a grant or an actor that can be assumed',
      );
    const stranger = (await service.newProject()).client;
    expect((await ask('DELETE', app, undefined, stranger)).status).to.equal(404);
    const { actorTokenId } = await actorOf(project);
    const actor = `/actors/${actorTokenId}`;
    expect((await ask('DELETE', actor, undefined, stranger)).status).to.equal(404);
    expect((await ask('DELETE', `/actors/${unknownId}`)).status).to.equal(404);
    expect((await ask('DELETE', '/actors/at_live_unknown')).status).to.equal(404);
    expect((await ask('DELETE', '/actors/ann')).status).to.equal(400);
    expect((await ask('PATCH', actor, { accessScopeId: unknownId })).status).to.equal(400);
    expectValidationError(await ask('PATCH', actor, { status: 'gone' }), 'status');
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
