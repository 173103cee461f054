import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const notAuthenticated = { type: 'error', error: 'not_authenticated' };
const refused = (error: string) => ({ type: 'auth', success: false, error });

describe('authentication', () => {
  let world: World;

  before(async () => void (world = await World.open()));
  after(() => world.close());

  describe('before it', () => {
    const early: Record<string, (client: FrameClient) => void> = {
      'a subscribe': (client) => client.send({ type: 'subscribe', topic: 'a/b/c' }),
      'a frame that is malformed': (client) => client.send({ type: 'publish' }),
      'a frame of an unknown type': (client) => client.send({ type: 'nonsense' }),
      'a list': (client) => client.send([]),
      'text that is no JSON': (client) => client.sendText('hello'),
      'an empty text': (client) => client.sendText(''),
      'bytes that are no MessagePack': (client) => client.sendBytes(Buffer.from('c1ff', 'hex')),
      'a heartbeat': (client) => client.sendBytes(new Uint8Array()),
    };
    for (const [what, send] of Object.entries(early)) {
      it(`[WS-AUTH-1] ${what} is answered not_authenticated, and the connection stays`, async () => {
        const client = await world.connect();
        send(client);
        expect(await client.next()).to.deep.equal(notAuthenticated);
        await client.authenticate((await world.actor()).token);
      });
    }

    it('[WS-AUTH-1] the frame is not echoed', async () => {
      const client = await world.connect();
      const frame = { type: 'publish', topic: 'a/b/c', data: 1, msgRef: 'r' };
      expect(await client.ask(frame)).to.deep.equal(notAuthenticated);
    });
  });

  it('[WS-AUTH-2] succeeds with an access token', async () => {
    const { record, token } = await world.actor({ actorType: 'user' });
    const client = await world.connect();
    expect(await client.ask({ type: 'auth', token, protocolVersion: 2 })).to.deep.equal({
      type: 'auth',
      success: true,
      actorTokenId: record.actorTokenId,
      projectId: world.projectId,
      actorType: 'user',
      protocolVersion: 2,
      restoredSubscriptions: [],
    });
  });

  it('[WS-AUTH-2] succeeds in JSON too', async () => {
    const { token } = await world.actor();
    const client = await world.connect();
    client.sendJson({
      type: 'auth',
      token,
      protocolVersion: 2,
      reconnect: true,
      clientId: 'c',
      projectId: 'x',
    });
    expect(await client.next()).to.include({ type: 'auth', success: true, protocolVersion: 2 });
  });

  for (const [asked, negotiated] of [
    [undefined, 1],
    [1, 1],
    [2, 2],
    [3, 2],
    [0, 1],
    [1.9, 1],
    ['2', 1],
    [null, 1],
  ]) {
    it(`[WS-AUTH-3] protocolVersion ${asked} is answered with ${negotiated}`, async () => {
      const { token } = await world.actor();
      const frame = { type: 'auth', token, ...(asked !== undefined && { protocolVersion: asked }) };
      expect(await (await world.connect()).ask(frame)).to.include({ protocolVersion: negotiated });
    });
  }

  it('[WS-AUTH-4] is refused alike for every bad credential, and the connection stays', async () => {
    const good = await world.actor();
    const [keyId, secret] = good.token.split('.') as [string, string];
    await world.project('project-gone');
    const orphan = await world.actor({}, 'project-gone');
    await world.put({ remove: 'projects', id: 'project-gone' });
    const credentials: Record<string, unknown> = {
      'an unknown key': `at_live_${'0'.repeat(24)}.${secret}`,
      'a wrong secret': `${keyId}.${'A'.repeat(43)}`,
      'no secret': keyId,
      'a disabled actor': (await world.actor({ status: 'disabled' })).token,
      'an expired actor': (await world.actor({ expiresAt: '2020-01-01T00:00:00.000Z' })).token,
      'an actor of a project that is gone': orphan.token,
      'an API key': good.token.replace('at_live', 'ak_live'),
      'a JWT': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln',
      'nothing at all': undefined,
      'an empty text': '',
      'a number': 7,
      'an operator': { $ne: null },
      '20,000 characters': 'x'.repeat(20_000),
    };
    for (const [what, token] of Object.entries(credentials)) {
      const client = await world.connect();
      expect(await client.ask({ type: 'auth', token, protocolVersion: 2 }), what).to.deep.equal(
        refused('access_denied'),
      );
      await client.authenticate(good.token);
    }
  });

  it('[WS-AUTH-4] is refused for an actor of a suspended organization', async () => {
    const suspended = await World.open();
    const { token } = await suspended.actor();
    const organizationId = suspended.organizationId;
    await suspended.put({ patch: 'organizations', id: organizationId, set: { status: 'suspended' } });
    expect(await (await suspended.connect()).ask({ type: 'auth', token })).to.deep.equal(
      refused('access_denied'),
    );
    await suspended.close();
  });

  it('[WS-AUTH-5] closes with 1008 after ten failures', async () => {
    const client = await world.connect();
    for (let count = 0; count < 10; count++) {
      expect(await client.ask({ type: 'auth', token: 'wrong' })).to.deep.equal(refused('access_denied'));
    }
    expect(await client.closed).to.deep.equal({ code: 1008, reason: 'too_many_failed_auths' });
  });

  it('[WS-AUTH-6] happens once: a second auth changes nothing', async () => {
    const client = await world.join();
    const other = await world.actor();
    expect(await client.ask({ type: 'auth', token: other.token, protocolVersion: 1 })).to.deep.equal({
      type: 'error',
      error: 'already_authenticated',
    });
    expect(await client.ask({ type: 'subscribe', topic: 'no/such/room' })).to.include({
      error: 'unknown_topic',
    });
  });

  it('[WS-CONN-3] holds frames behind the auth frame until it is answered', async () => {
    const topic = await world.newsroom('pipelined');
    const { token } = await world.actor();
    const client = await world.connect();
    client.send({ type: 'auth', token, protocolVersion: 2 }).send({ type: 'subscribe', topic });
    client.sendBytes(new Uint8Array());
    expect(await client.next()).to.include({ type: 'auth', success: true });
    expect(await client.next()).to.include({ type: 'subscribed' });
    expect(await client.next()).to.equal('heartbeat');
  });

  it('[WS-AUTH-8] fails with connection_failed while the read models are unavailable', async () => {
    let isAway = true;
    const views: World['views']['find'] = (view, query) =>
      isAway ? Promise.reject(new Error('away')) : broken.views.find(view, query);
    const broken = await World.open({ views: (real) => overlaid(real, { find: views }) });
    const { token } = await broken.actor();
    const client = await broken.connect();
    expect(await client.ask({ type: 'auth', token })).to.deep.equal(refused('connection_failed'));
    isAway = false;
    await client.authenticate(token);
    await broken.close();
  });

  it('[WS-AUTH-8] fails with broker_unavailable while the bus is unavailable', async () => {
    const busless = await World.open({ bus: (real) => overlaid(real, { reachable: false }) });
    const { token } = await busless.actor();
    const client = await busless.connect();
    expect(await client.ask({ type: 'auth', token })).to.deep.equal(refused('broker_unavailable'));
    expect(await client.ask({ type: 'auth', token: 'wrong' })).to.deep.equal(refused('access_denied'));
    await busless.close();
  });
});

describe('auth and reauth with fields of the wrong type', () => {
  let world: World;
  let token: string;

  beforeEach(async () => {
    world = await World.open();
    ({ token } = await world.actor({ actorType: 'agent' }));
  });

  afterEach(() => world.close());

  it('[WS-AUTH-14] without a token that is a string are refused like a bad credential', async () => {
    const client = await world.connect();
    for (const fields of [{}, { token: 5 }, { token: null }, { token: { $ne: '' } }])
      expect(await client.ask({ type: 'auth', ...fields })).to.deep.equal({
        type: 'auth',
        success: false,
        error: 'access_denied',
      });
    await client.authenticate(token);
    for (const fields of [{}, { token: [] }])
      expect(await client.ask({ type: 'reauth', ...fields })).to.deep.equal({
        type: 'reauth',
        success: false,
        error: 'access_denied',
      });
  });

  it('[WS-AUTH-14] use the session without a name, and a new one', async () => {
    const topic = await world.newsroom();
    const auth = async (fields: Frame): Promise<Frame> =>
      (await (await world.connect()).ask({ type: 'auth', token, ...fields })) as Frame;
    const first = await world.connect();
    await first.ask({ type: 'auth', token, clientId: 7 });
    await (await first.subscribe(topic)).close();
    expect((await auth({ reconnect: true }))['restoredSubscriptions']).to.have.length(1);
    expect((await auth({ reconnect: 'true' }))['restoredSubscriptions']).to.deep.equal([]);
  });
});
