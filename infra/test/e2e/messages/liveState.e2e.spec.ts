import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { connect, type Client, type SubscribeOptions } from '@roomwire/sdk';
import type { Permission } from '@roomwire/shared/domain/permission';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../../support/apiClient.js';
import { actorOf } from '../../support/hookedApp.js';
import { expectFrameworkError } from '../../support/shapes.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

describe('who is in a room, over HTTP', () => {
  let service: TestService;
  let owner: TestProject;
  let project: ApiClient;
  let appId: string;
  let slug: string;
  let roomIds: Record<string, string>;
  const clients: Client[] = [];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    owner = await service.newProject();
    project = owner.client;
    ({ appId, slug } = (await project.post('/apps', { name: 'house', topics: ['chat', 'news'] })).body);
    roomIds = {};
    for (const name of ['hall', 'yard'])
      roomIds[name] = (await project.post(`/apps/${appId}/rooms`, { name })).body.roomId;
  });
  afterEach(() => leaveAll());

  const join = async (fields: object = {}): Promise<{ client: Client; id: string; token: string }> => {
    const { accessToken: token, actorTokenId: id } = await actorOf(project, fields);
    return { client: await again(token), id, token };
  };
  const again = async (token: string): Promise<Client> => {
    const client = connect({ url: service.socketUrl, token, reconnect: false });
    clients.push(client);
    await client.ready();
    return client;
  };
  const enter = (client: Client, room: string, data: Readonly<Record<string, unknown>> = {}) =>
    client.enter(`${slug}/${room}`, data);
  const listen = (client: Client, topic: string, options: SubscribeOptions = {}) =>
    client.subscribe(`${slug}/${topic}`, () => undefined, options);
  const leaveAll = () => Promise.all(clients.splice(0).map((client) => client.close()));
  const keyWith = async (...permissions: readonly Permission[]): Promise<ApiClient> => {
    const keys = `/organizations/${owner.organizationId}/projects/${owner.projectId}/api-keys`;
    return service.client((await service.operator.post(keys, { name: 'K', permissions })).body.apiKey);
  };
  const presence = (room: string, query = '', client = project) =>
    client.get(`/apps/${appId}/rooms/${roomIds[room]}/presence${query}`);
  const occupancy = (query: string, client = project) => client.get(`/apps/${appId}/occupancy${query}`);
  const countsOf = async (query: string): Promise<unknown> => {
    const { data } = (await occupancy(query)).body as { data: Record<string, unknown>[] };
    return data.map(({ slug: room, present, subscribers }) => [room, present, subscribers]);
  };

  it('[HTTP-PRES-1] lists each actor once, with what it announced last and since when it is there', async () => {
    const before = Date.now();
    const { client, id, token } = await join();
    await enter(client, 'hall', { mood: 'fine' });
    await enter(await again(token), 'hall', { mood: 'better' });
    await enter((await join()).client, 'yard');
    const { status, body } = await presence('hall');
    expect(status).to.equal(200);
    const [{ joinedAt, ...entry }] = body.data;
    expect(entry).to.eql({ actorTokenId: id, presence: { mood: 'better' } });
    expect(joinedAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    expect(Date.parse(joinedAt)).to.be.within(before - 1_000, Date.now());
    expect(body).to.have.deep.property('next', null);
    expect(body.data).to.have.length(1);
    await leaveAll();
    await eventually(async () => (await presence('hall')).body.data.length === 0);
  });

  it('[HTTP-PRES-1] goes by pages, in an order that stays while people come and go', async () => {
    const people = await Promise.all(Array.from({ length: 7 }, () => join()));
    for (const { client } of people) await enter(client, 'hall');
    const seen: string[] = [];
    let cursor = '';
    for (let page = 0; page < 10; page += 1) {
      const { body } = await presence('hall', `?limit=2${cursor}`);
      for (const { actorTokenId } of body.data) seen.push(actorTokenId);
      expect(body.data.length).to.be.at.most(2);
      if (body.next === null) break;
      cursor = `&cursor=${body.next}`;
      if (page === 0) await enter((await join()).client, 'yard');
    }
    expect(seen).to.eql(people.map(({ id }) => id).sort());
    expect((await presence('hall', '?limit=0')).body.data).to.have.length(1);
    expect((await presence('hall', '?limit=5000')).body.data).to.have.length(7);
    expect((await presence('hall', '?cursor=elsewhere')).body.errors[0].path).to.equal('cursor');
  });

  it('[HTTP-PRES-1] shows what JSON cannot hold as webhooks do', async () => {
    const { accessToken } = await actorOf(project);
    const socket = await FrameClient.join(service.socketUrl, accessToken);
    const data = { bytes: Uint8Array.of(1, 2, 3), long: 2n ** 60n, when: new Date(0), at: 4.5 };
    socket.sendBytes(encode({ type: 'presence', roomId: `${slug}/hall`, data }, { useBigInt64: true }));
    await eventually(async () => (await presence('hall')).body.data.length === 1);
    expect((await presence('hall')).body.data[0].presence).to.eql({
      ...{ bytes: 'AQID', long: String(2n ** 60n), when: '1970-01-01T00:00:00.000Z', at: 4.5 },
    });
    socket.terminate();
  });

  it('[HTTP-PRES-1] [HTTP-PRES-2] has each scope for itself', async () => {
    const { accessScopeId } = (await project.post('/scopes', { slug: 'hidden', name: 'Hidden' })).body;
    const { client, id } = await join({ accessScopeId });
    await enter(client, 'hall');
    await listen(client, 'hall/chat');
    expect((await presence('hall')).body.data).to.eql([]);
    expect((await presence('hall', `?scope=${accessScopeId}`)).body.data[0].actorTokenId).to.equal(id);
    expect(await countsOf('?rooms=hall')).to.eql([['hall', 0, 0]]);
    expect(await countsOf(`?rooms=hall&scope=${accessScopeId}`)).to.eql([['hall', 1, 1]]);
    const unknown = '?scope=0b9f3f6a-52c1-4d9e-8f7b-1c2d3e4f5a60';
    expect((await presence('hall', unknown)).status).to.equal(404);
    expect((await occupancy(`${unknown}&rooms=hall`)).status).to.equal(404);
  });

  it('[HTTP-PRES-2] counts actors that are present and connections that are subscribed, each once', async () => {
    const { client, token } = await join();
    const second = await again(token);
    for (const one of [client, second]) await enter(one, 'hall');
    const [chat, news] = [await listen(client, 'hall/chat'), await listen(client, 'hall/news')];
    await listen(second, 'hall/chat');
    await listen(second, 'hall/news', { loadBalance: true });
    await listen((await join()).client, 'yard/chat');
    const all = '?rooms=yard&rooms=hall&rooms=attic&rooms=hall';
    expect(await countsOf(all)).to.eql([
      ['yard', 0, 1],
      ['hall', 1, 2],
    ]);
    expect((await occupancy('?rooms=hall')).body.data[0].roomId).to.equal(roomIds['hall']);
    await chat.unsubscribe();
    expect(await countsOf('?rooms=hall')).to.eql([['hall', 1, 2]]);
    await news.unsubscribe();
    await second.close();
    await eventually(async () => JSON.stringify(await countsOf('?rooms=hall')) === '[["hall",1,0]]');
  });

  it('[HTTP-PRES-2] needs rooms, and takes a hundred', async () => {
    const { status, body } = await occupancy('');
    expect(status).to.equal(400);
    expect(body.errors).to.eql([{ path: 'rooms', value: null, message: 'is required' }]);
    const rooms = Array.from({ length: 100 }, (_, n) => `rooms=r-${n}`);
    expect((await occupancy(`?${rooms.join('&')}`)).body.data).to.eql([]);
    expect((await occupancy(`?${rooms.join('&')}&rooms=one-more`)).body.errors[0].path).to.equal('rooms');
    expect((await occupancy('?rooms[]=hall')).status).to.equal(400);
  });

  it('[HTTP-PRES-1] [HTTP-PRES-2] is for keys that may read presence, of the project whose room it is', async () => {
    const other = (await service.newProject()).client;
    expect((await presence('hall', '', other)).status).to.equal(404);
    expect((await occupancy('?rooms=hall', other)).status).to.equal(404);
    const without = await keyWith('rooms:read');
    expectFrameworkError(
      await presence('hall', '', without),
      403,
      'API key lacks the permission presence:read',
      'Forbidden',
    );
    expect((await presence('hall', '', await keyWith('presence:read'))).status).to.equal(200);
  });
});
