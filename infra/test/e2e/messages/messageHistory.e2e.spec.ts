import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../../support/apiClient.js';
import { actorOf, appWithRoom } from '../../support/hookedApp.js';
import { startTestService, type TestService } from '../../support/testService.js';

describe('message history', () => {
  let service: TestService;
  let project: ApiClient;
  let organizationId: string;
  let projectId: string;
  let appId: string;
  let roomId: string;
  let topic: string;
  const clients: Client[] = [];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    ({ client: project, organizationId, projectId } = await service.newProject());
    ({ appId, topic } = await appWithRoom(project, { topicConfigs: { chat: { history: {} } } }));
    [{ roomId }] = (await project.get(`/apps/${appId}/rooms`)).body;
  });
  afterEach(async () => void (await Promise.all(clients.splice(0).map((client) => client.close()))));

  const messages = (query = '', name = 'chat') =>
    `/apps/${appId}/rooms/${roomId}/topics/${name}/messages${query}`;
  const publish = (data: unknown, fields: object = {}) =>
    project.post('/publish', { topic, data, ...fields });
  const kept = async (query = ''): Promise<any> => {
    const { status, body } = await project.get(messages(query));
    expect(status).to.equal(200);
    return body;
  };
  const dataIn = ({ data }: { readonly data: readonly { readonly data: unknown }[] }): unknown[] =>
    data.map((message) => message.data);
  const join = async (fields: object = {}): Promise<Client> => {
    const { accessToken } = await actorOf(project, fields);
    const client = connect({ url: service.socketUrl, token: accessToken, reconnect: false });
    clients.push(client);
    await client.ready();
    return client;
  };
  /** The last value of the topic, for whoever subscribes now; undefined for none. */
  const lastValue = async (): Promise<unknown> => {
    const client = await join();
    const got: unknown[] = [];
    await client.subscribe(topic, (message) => void got.push(message.data));
    await publish('marker');
    await eventually(() => got.includes('marker'));
    return got[0] === 'marker' ? undefined : got[0];
  };

  it('[HTTP-HIST-1] [WS-HIST-3] is read over HTTP as soon as a publish is answered, in its order', async () => {
    const client = await join();
    await client.publish(topic, 'from a socket');
    const { body: published } = await publish({ from: 'a backend' }, { id: 'order-7', filter: 'eu' });
    const page = await kept();
    expect(dataIn(page)).to.eql([{ from: 'a backend' }, 'from a socket']);
    const [newest, oldest] = page.data;
    expect(newest).to.include({ id: 'order-7', at: published.at, actorTokenId: null, filter: 'eu' });
    expect(oldest.actorTokenId).to.be.a('string');
    expect(newest.position > oldest.position).to.equal(true);
    expect(dataIn(await kept(`?after=${oldest.position}`))).to.eql([{ from: 'a backend' }]);
    expect(dataIn(await kept(`?before=${newest.position}&limit=1`))).to.eql(['from a socket']);
  });

  it('[HTTP-HIST-1] has one record for each scope', async () => {
    const { accessScopeId } = (await project.post('/scopes', { slug: 'hidden', name: 'Hidden' })).body;
    await publish('outside');
    await publish('inside', { scope: accessScopeId });
    expect(dataIn(await kept())).to.eql(['outside']);
    expect(dataIn(await kept(`?scope=${accessScopeId}`))).to.eql(['inside']);
    expect((await project.delete(`/scopes/${accessScopeId}`)).status).to.equal(204);
    expect((await project.get(messages(`?scope=${accessScopeId}`))).status).to.equal(404);
  });

  it('[WS-HIST-1] shows its settings as they were given, and keeps to them at once', async () => {
    const { body: app } = await project.get(`/apps/${appId}`);
    expect(app.topicConfigs).to.eql({ chat: { history: {} } });
    for (const n of [1, 2, 3]) await publish(n);
    const topicConfigs = { chat: { history: { messages: 2 } } };
    expect((await project.patch(`/apps/${appId}`, { topicConfigs })).body.topicConfigs).to.eql(topicConfigs);
    expect(dataIn(await kept())).to.eql([3, 2]);
  });

  it('[HTTP-HIST-2] is deleted for good, with the last value, and the log says so without what was in it', async () => {
    await publish('secret', { retain: true });
    const { position } = (await kept()).data[0];
    expect((await project.delete(messages())).status).to.equal(204);
    expect(await kept()).to.eql({ data: [] });
    await eventually(async () => (await lastValue()) === undefined);
    const gone = await kept(`?after=${position}`);
    expect(gone.gap.reason).to.equal('expired');
    const query = `projectId=${projectId}&type=HistoryDeleted`;
    const { body } = await service.operator.get(`/organizations/${organizationId}/audit?${query}`);
    expect(body.data).to.have.length(1);
    expect(body.data[0].data).to.include({ appId, roomId, accessScopeId: null, topic: 'chat' });
    expect(JSON.stringify(body)).to.not.include('secret');
  });

  it('[HTTP-HIST-2] deletes the last value of a topic without history, too', async () => {
    await project.patch(`/apps/${appId}`, { topicConfigs: {} });
    await publish('secret', { retain: true });
    expect(await lastValue()).to.equal('secret');
    expect((await project.delete(messages())).status).to.equal(204);
    await eventually(async () => (await lastValue()) === undefined);
  });

  it('[HTTP-HIST-2] answers the same where there is no history, and knows what topics there are', async () => {
    expect((await project.delete(messages('', 'news'))).status).to.equal(204);
    expect((await project.get(messages('', 'news'))).body.message).to.equal(
      'History is not enabled for topic "news"',
    );
    for (const method of ['get', 'delete'] as const)
      expect((await project[method](messages('', 'other'))).body.message).to.equal('Topic "other" not found');
  });

  it('[WS-HIST-13] is deleted where it is switched off, and begins anew', async () => {
    await publish('before', { retain: true });
    const { position } = (await kept()).data[0];
    await project.patch(`/apps/${appId}`, { topicConfigs: { chat: { history: null } } });
    expect((await project.get(messages())).status).to.equal(400);
    await eventually(async () => (await lastValue()) === undefined);
    await project.patch(`/apps/${appId}`, { topicConfigs: { chat: { history: {} } } });
    await eventually(async () => !dataIn(await kept()).includes('before'));
    await publish('after');
    expect(dataIn(await kept('?after='))).to.eql(['after']);
    expect((await kept(`?after=${position}`)).gap.reason).to.equal('expired');
  });

  it('[WS-HIST-13] is not found again in a room that is made anew', async () => {
    await publish('before');
    const { position } = (await kept()).data[0];
    await project.delete(`/apps/${appId}/rooms/${roomId}`);
    ({ roomId } = (await project.post(`/apps/${appId}/rooms`, { name: 'lobby' })).body);
    await publish('after');
    expect(dataIn(await kept())).to.eql(['after']);
    expect((await kept(`?after=${position}`)).gap.reason).to.equal('unknown');
  });
});
