import { expect } from 'chai';
import { connect, type Client } from '@roomwire/sdk';
import { clientTokenOf } from '@roomwire/testing/clients/clientTokens';
import { eventually } from '@roomwire/testing/run/eventually';
import { startTestService, type TestService } from '../../support/testService.js';
import { errorOf, reasonOfClose } from '../../support/sdkClients.js';

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

describe('access, from REST to the socket', () => {
  let service: TestService;
  let app: { appId: string; slug: string };
  let topic: string;
  let grants: string;
  const clients: Client[] = [];

  before(async () => void (service = await startTestService()));
  after(() => service.close());
  beforeEach(async () => {
    app = (await service.project.post('/apps', { name: 'world', topics: ['chat', 'news'] })).body;
    const room = (await service.project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' })).body;
    topic = `${app.slug}/lobby/chat`;
    grants = `/apps/${app.appId}/rooms/${room.roomId}/actors`;
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const newActor = async (fields: object = {}) =>
    (await service.project.post('/actors', { name: 'x', actorType: 'user', ...fields })).body;
  const join = async (token: string): Promise<Client> => {
    const client = connect({ url: service.socketUrl, token, reconnect: false });
    clients.push(client);
    await client.ready();
    return client;
  };

  it('[WS-GRANT-1] the first grant makes a room private, and revoking the last one opens it', async () => {
    const [member, stranger] = [await newActor(), await newActor({ actorType: 'device' })];
    const [inside, outside] = [await join(member.accessToken), await join(stranger.accessToken)];
    await outside.publish(topic, 'open to all');
    const body = { actorTokenId: member.actorTokenId, permission: 'publish', topics: ['chat'] };
    const { roomActorAccessId } = (await service.project.post(grants, body)).body;
    await eventually(async () => (await errorOf(outside.publish(topic, 1))) === 'unknown_topic');
    await inside.publish(topic, 'granted');
    expect(
      await errorOf(inside.publish(`${app.slug}/lobby/news`, 1)),
      'a topic that is not granted',
    ).to.equal('unknown_topic');
    expect(await errorOf(inside.subscribe(topic, () => undefined)), 'publish is not subscribe').to.equal(
      'unknown_topic',
    );
    expect((await service.project.delete(`${grants}/${roomActorAccessId}`)).status).to.equal(204);
    await eventually(async () => (await errorOf(outside.publish(topic, 2))) === 'none');
  });

  it('[WS-GRANT-3] a grant for an actor type admits its actors, and an expired one admits no actor', async () => {
    const [device, user] = [await newActor({ actorType: 'device' }), await newActor()];
    await service.project.post(grants, { actorType: 'device', permission: 'pubSub' });
    const [inside, outside] = [await join(device.accessToken), await join(user.accessToken)];
    await eventually(async () => (await errorOf(outside.publish(topic, 1))) === 'unknown_topic');
    const got: unknown[] = [];
    await inside.subscribe(topic, ({ data }) => void got.push(data));
    const ended = {
      actorTokenId: user.actorTokenId,
      permission: 'pubSub',
      expiresAt: '2020-01-01T00:00:00Z',
    };
    expect((await service.project.post(grants, ended)).status).to.equal(201);
    expect(await errorOf(outside.publish(topic, 2))).to.equal('unknown_topic');
    await inside.publish(topic, 'device');
    expect(got).to.eql([]);
  });

  it('[WS-SCOPE-1] actors of a scope share an address with others, and receive only messages of their scope', async () => {
    const { accessScopeId } = (await service.project.post('/scopes', { slug: 'acme', name: 'Acme' })).body;
    const tokens = [
      await newActor({ accessScopeId }),
      await newActor({ accessScopeId }),
      await newActor(),
    ].map(({ accessToken }) => accessToken as string);
    const [ann, bob, out] = (await Promise.all(tokens.map(join))) as [Client, Client, Client];
    const heard: Record<string, unknown[]> = { bob: [], out: [] };
    await bob.subscribe(topic, ({ data }) => void heard['bob']?.push(data));
    await out.subscribe(topic, ({ data }) => void heard['out']?.push(data));
    await ann.publish(topic, 'for acme');
    await eventually(() => heard['bob']?.length === 1);
    expect(heard).to.eql({ bob: ['for acme'], out: [] });

    const closed = reasonOfClose(bob);
    await service.project.patch(`/scopes/${accessScopeId}`, { isActive: false });
    expect(await closed).to.include({ closeCode: 4001, closeReason: 'scope_inactive' });
    expect(await errorOf(join(tokens[0] as string))).to.equal('access_denied');
    await service.project.patch(`/scopes/${accessScopeId}`, { isActive: true });
    await eventually(async () => (await errorOf(join(tokens[0] as string))) === 'none');
  });

  it('[WS-AUTH-9] a client token of a signing key authenticates the connection of its actor', async () => {
    const key = (await service.project.post('/signing-keys', { name: 'backend' })).body;
    const { keyId: sub, actorTokenId } = await newActor();
    for (const alg of ['HS256', 'HS384', 'HS512'] as const) {
      const client = await join(clientTokenOf(key.signingKey, { sub, exp: inSeconds(60) }, alg));
      expect(await client.ready()).to.include({ actorTokenId });
    }
    const expired = clientTokenOf(key.signingKey, { sub, exp: inSeconds(-1) });
    expect(await errorOf(join(expired))).to.equal('token_expired');
    const forged = clientTokenOf(`${key.keyId}.another`, { sub, exp: inSeconds(60) });
    expect(await errorOf(join(forged))).to.equal('access_denied');
  });

  it('[WS-AUTH-9] a client token is invalid once its key is disabled or deleted', async () => {
    const { keyId: sub } = await newActor();
    for (const end of ['disable', 'delete']) {
      const key = (await service.project.post('/signing-keys', { name: end })).body;
      const token = clientTokenOf(key.signingKey, { sub, exp: inSeconds(60) });
      const client = await join(token);
      const closed = reasonOfClose(client);
      const path = `/signing-keys/${key.signingKeyId}`;
      await (end === 'delete'
        ? service.project.delete(path)
        : service.project.patch(path, { status: 'disabled' }));
      expect(await closed).to.include({ closeCode: 4001, closeReason: 'token_revoked' });
      expect(await errorOf(join(token))).to.equal('access_denied');
    }
  });
});
