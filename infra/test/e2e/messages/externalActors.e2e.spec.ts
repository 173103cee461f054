import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { externalActorId } from '@roomwire/shared/credentials/externalActor';
import { clientTokenOf } from '@roomwire/testing/clients/clientTokens';
import { FrameClient, type Frame } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from '../../support/apiClient.js';
import { reasonOfClose } from '../../support/sdkClients.js';
import { startTestService, type TestService } from '../../support/testService.js';

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
const revoked = { closeCode: 4001, closeReason: 'token_revoked' };

describe('external actors, from REST to the socket', () => {
  let service: TestService;
  let project: ApiClient;
  let projectId: string;
  let key: { signingKeyId: string; signingKey: string };
  let app: { appId: string; slug: string };
  let room: { roomId: string };
  let topic: string;
  const clients: Client[] = [];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    ({ client: project, projectId } = await service.newProject());
    key = (await project.post('/signing-keys', { name: 'Backend', allowExternalActors: true })).body;
    app = (
      await project.post('/apps', {
        name: 'world',
        topics: ['chat'],
        topicConfigs: { chat: { history: {} } },
      })
    ).body;
    room = (await project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' })).body;
    topic = `${app.slug}/lobby/chat`;
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const tokenOf = (sub: string, roomwire?: object, claims: object = {}) =>
    clientTokenOf(key.signingKey, { sub, exp: inSeconds(600), iat: inSeconds(0), roomwire, ...claims });
  const join = async (token: string): Promise<Client> => {
    const client = connect({ url: service.socketUrl, token, reconnect: false });
    clients.push(client);
    await client.ready();
    return client;
  };
  const auth = async (token: string, more: object = {}): Promise<Frame> => {
    const client = await FrameClient.connect(service.socketUrl);
    const reply = await client.ask({ type: 'auth', token, protocolVersion: 2, ...more });
    await client.close();
    return reply as Frame;
  };
  const isRefused = async (token: string) => (await auth(token))['error'] === 'access_denied';

  it('[WS-EXT-1] connect without a record, and are known by one id everywhere', async () => {
    const [ada, bob] = [await join(tokenOf('ext:ada')), await join(tokenOf('ext:bob'))];
    const id = externalActorId(projectId, 'ext:ada');
    const heard: unknown[] = [];
    await bob.subscribe(topic, ({ data, meta }) => void heard.push([data, meta?.from]), { meta: true });
    await ada.publish(topic, 'hello');
    await eventually(() => heard.length === 1);
    expect(heard).to.eql([['hello', id]]);
    const messages = `/apps/${app.appId}/rooms/${room.roomId}/topics/chat/messages`;
    expect((await project.get(messages)).body.data[0]).to.include({ data: 'hello', actorTokenId: id });
    expect((await project.get('/actors')).body).to.eql([]);
    expect((await project.get(`/actors/${id}`)).status).to.equal(404);
    const { features } = (await auth(tokenOf('ext:ada'), { features: true })) as unknown as {
      features: string[];
    };
    expect(features).to.include('externalActors');
  });

  it('[WS-EXT-3] have the grants of their type, in the scope of their token, and none by id', async () => {
    const grants = `/apps/${app.appId}/rooms/${room.roomId}/actors`;
    const id = externalActorId(projectId, 'ext:ada');
    expect((await project.post(grants, { actorTokenId: id, permission: 'pubSub' })).status).to.equal(404);
    expect((await project.post(grants, { actorType: 'device', permission: 'pubSub' })).status).to.equal(201);
    const { accessScopeId } = (await project.post('/scopes', { slug: 'acme', name: 'Acme' })).body;
    const heard: unknown[] = [];
    const device = { actorType: 'device', accessScopeId };
    await (await join(tokenOf('ext:reader', device))).subscribe(topic, ({ data }) => void heard.push(data));
    const outside = await join(tokenOf('ext:ada', { actorType: 'device' }));
    await outside.publish(topic, 'outside');
    await (await join(tokenOf('ext:ada', device))).publish(topic, 'inside');
    await eventually(() => heard.length > 0);
    expect(heard).to.eql(['inside']);
    const user = await join(tokenOf('ext:ada'));
    await eventually(async () => {
      const error: unknown = await user.publish(topic, 1).then(
        () => undefined,
        (refusal: unknown) => refusal,
      );
      return String(error).includes('unknown_topic');
    });
    expect(await isRefused(tokenOf('ext:ada', { accessScopeId: projectId }))).to.equal(true);
  });

  it('[HTTP-PUB-1] are nobody as whom a backend publishes', async () => {
    await join(tokenOf('ext:ada'));
    for (const as of ['ext:ada', externalActorId(projectId, 'ext:ada')]) {
      const { status, body } = await project.post('/publish', { topic, data: 1, as });
      expect([status, body.error]).to.eql([404, 'unknown_actor']);
    }
  });

  for (const [what, change] of [
    ['disabled', { status: 'disabled' }],
    ['told to allow none', { allowExternalActors: false }],
    ['deleted', undefined],
  ] as const)
    it(`[WS-EXT-6] end when their key is ${what}`, async () => {
      const closed = reasonOfClose(await join(tokenOf('ext:ada')));
      const path = `/signing-keys/${key.signingKeyId}`;
      const { status } = change ? await project.patch(path, change) : await project.delete(path);
      expect(status).to.be.oneOf([200, 204]);
      expect(await closed).to.include(revoked);
      await eventually(() => isRefused(tokenOf('ext:ada')));
      if (change === undefined) return;
      await project.patch(path, { status: 'active', allowExternalActors: true });
      await eventually(async () => !(await isRefused(tokenOf('ext:ada'))));
    });

  it('[HTTP-REVOKE-2] and actors lose the tokens that are revoked, and no others', async () => {
    const actor = (await project.post('/actors', { name: 'Eve', actorType: 'user' })).body;
    const old = inSeconds(-60);
    for (const [sub, subject] of [
      ['ext:ada', 'ext:ada'],
      [actor.keyId, actor.actorTokenId],
    ] as const) {
      const [token, next] = [tokenOf(sub, {}, { iat: old }), tokenOf(sub, {}, { iat: inSeconds(60) })];
      const closed = reasonOfClose(await join(token));
      const others = [await join(tokenOf('ext:other', {}, { iat: old })), await join(actor.accessToken)];
      const kept = await join(next);
      const { status } = await project.post('/revocations', { subject });
      expect(status).to.equal(201);
      expect(await closed).to.include(revoked);
      await eventually(() => isRefused(token));
      for (const client of [kept, ...others]) await client.publish(topic, 1);
      expect(await isRefused(next)).to.equal(false);
    }
  });
});
