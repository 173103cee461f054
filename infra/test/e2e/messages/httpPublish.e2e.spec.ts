import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { FrameClient, type Frame } from '@roomwire/testing/clients/frameClient';
import { WebhookEndpoint } from '@roomwire/testing/fakes/webhookEndpoint';
import { actorOf, appWithRoom } from '../../support/hookedApp.js';
import { startTestService, type TestProject, type TestService } from '../../support/testService.js';

describe('publishing over HTTP', () => {
  let service: TestService;
  let project: TestProject;
  let topic: string;
  let appId: string;
  let reader: FrameClient;

  before(async () => void (service = await startTestService()));
  after(() => service.close());

  beforeEach(async () => {
    project = await service.newProject();
    ({ topic, appId } = await appWithRoom(project.client, {}));
    reader = await join();
    await reader.subscribe(topic, { meta: true });
  });
  afterEach(() => reader.terminate());

  const join = async (fields: object = {}): Promise<FrameClient> => {
    const { accessToken } = await actorOf(project.client, fields);
    return FrameClient.join(service.socketUrl, accessToken);
  };
  const publish = (message: object) => project.client.post('/publish', message);
  const next = async (client = reader): Promise<Frame> => (await client.next()) as Frame;

  it('[HTTP-PUB-1] [HTTP-PUB-6] delivers a message of a backend, which is nobody', async () => {
    const { status, body } = await publish({ topic, data: { text: 'hello' }, filter: 'f' });
    expect(status).to.equal(200);
    expect(body).to.have.keys('id', 'at');
    expect(new Date(body.at).toISOString()).to.equal(body.at);
    expect(await next()).to.deep.equal({
      ...{ type: 'message', topic, data: { text: 'hello' }, filter: 'f' },
      meta: { id: body.id, at: Date.parse(body.at), from: null },
    });
  });

  it('[WS-AUTH-19] is a feature', async () => {
    const { accessToken } = await actorOf(project.client);
    const client = await FrameClient.connect(service.socketUrl);
    const reply = (await client.ask({ type: 'auth', token: accessToken, features: true })) as Frame;
    expect(reply['features']).to.include('publish');
    client.terminate();
  });

  it('[HTTP-PUB-4] delivers MessagePack, base64 and JSON as they are', async () => {
    const bytes = Uint8Array.of(1, 2, 255);
    await project.client.send('/publish', {
      method: 'POST',
      headers: { 'content-type': 'application/msgpack' },
      body: encode({ topic, data: { bytes } }),
    });
    expect((await next())['data']).to.deep.equal({ bytes });
    await publish({ topic, base64: Buffer.from(encode([1, 'zwei', null])).toString('base64') });
    expect((await next())['data']).to.deep.equal([1, 'zwei', null]);
    await publish({ topic, data: null });
    expect((await next())['data']).to.equal(null);
  });

  it('[HTTP-PUB-1] publishes as an actor, by either of its ids, which has its rights and its own scope', async () => {
    const { actorTokenId, keyId } = await actorOf(project.client);
    for (const as of [actorTokenId, actorTokenId.toUpperCase(), keyId]) {
      await publish({ topic, data: as, as });
      expect(await next()).to.deep.include({ data: as });
    }
    const observer = await actorOf(project.client, { actorType: 'observer' });
    const refused = await publish({ topic, data: 1, as: observer.actorTokenId });
    expect([refused.status, refused.body.error]).to.deep.equal([404, 'unknown_topic']);
    const stranger = await actorOf(service.project);
    for (const as of [stranger.actorTokenId, stranger.keyId, 'nobody'])
      expect((await publish({ topic, data: 1, as })).body).to.include({
        error: 'unknown_actor',
        code: 42940,
      });
    await project.client.patch(`/actors/${actorTokenId}`, { status: 'disabled' });
    expect((await publish({ topic, data: 1, as: actorTokenId })).body).to.include({ error: 'unknown_actor' });
  });

  it('[WS-OWN-1] comes to the actor in whose name it is published, where it asks for it', async () => {
    const { accessToken, actorTokenId } = await actorOf(project.client);
    const own = await FrameClient.join(service.socketUrl, accessToken);
    const other = await FrameClient.join(service.socketUrl, accessToken);
    await own.subscribe(topic, { own: true });
    await other.subscribe(topic);
    await publish({ topic, data: 'mine', as: actorTokenId });
    await publish({ topic, data: 'marker' });
    expect(await next(own)).to.include({ data: 'mine' });
    expect(await next(other)).to.include({ data: 'marker' });
    for (const client of [own, other]) client.terminate();
  });

  it('[HTTP-PUB-3] publishes into a scope, by its id or slug, and refuses others', async () => {
    const { body: scope } = await project.client.post('/scopes', { name: 'North', slug: 'north' });
    const accessScopeId: string = scope.accessScopeId;
    const inside = await join({ accessScopeId });
    await inside.subscribe(topic);
    for (const name of [accessScopeId, accessScopeId.toUpperCase(), 'north']) {
      await publish({ topic, data: name, scope: name });
      expect(await next(inside)).to.include({ data: name });
    }
    for (const name of ['south', '00000000-0000-4000-8000-000000000000'])
      expect((await publish({ topic, data: 1, scope: name })).body).to.include({ error: 'unknown_scope' });
    await publish({ topic, data: 'outside' });
    expect(await next()).to.include({ data: 'outside' });
    inside.terminate();
  });

  it('[HTTP-PUB-5] publishes a batch in its order, with a result for each', async () => {
    const messages = Array.from({ length: 100 }, (_, n) => ({
      topic: n === 50 ? `${topic}-missing` : topic,
      data: n,
      ...(n % 7 === 0 && { id: `n-${n}` }),
      ...(n % 11 === 0 && { retain: true }),
    }));
    const { status, body } = await publish({ messages });
    expect(status).to.equal(200);
    expect(body.results).to.have.length(100);
    expect(body.results[50]).to.include({ error: 'unknown_topic', code: 42940 });
    for (let n = 0; n < 100; n++) if (n !== 50) expect((await next())['data']).to.equal(n);
  });

  it('[HTTP-PUB-2] takes JSON and MessagePack only, and what is sound', async () => {
    const send = (type: string, body: string | Uint8Array) =>
      project.client.send('/publish', { method: 'POST', headers: { 'content-type': type }, body });
    const hostile = Buffer.concat([encode({ topic }), Buffer.from('dfffffffff', 'hex')]);
    for (const [type, body] of [
      ['application/json', '{'],
      ['application/msgpack', hostile],
      ['application/json', '[]'],
    ] as const)
      expect((await send(type, body)).status, type).to.equal(400);
    expect((await send('text/plain', 'hello')).status).to.be.oneOf([400, 415]);
  });

  it('[HTTP-PUB-9] refuses a message that is too large alone, and publishes the others', async () => {
    const large = 'x'.repeat(930_000);
    const { body } = await publish({ messages: [1, large, 2].map((data) => ({ topic, data })) });
    expect(body.results[1]).to.deep.include({ error: 'message_too_large', maxSizeBytes: 921_600 });
    expect([(await next())['data'], (await next())['data']]).to.deep.equal([1, 2]);
  });

  it('[HTTP-PUB-7] refuses what is not there, or is too large, or has bad filters', async () => {
    const answers = [
      [{ topic: 'no/such/topic', data: 1 }, 404, 'unknown_topic'],
      [{ topic, data: 1, filter: 'a/b' }, 400, 'invalid_filter_chars (/, #, +, | not allowed)'],
      [{ topic, data: 'x'.repeat(950_000) }, 413, 'message_too_large'],
    ] as const;
    for (const [message, status, error] of answers) {
      const answer = await publish(message);
      expect([answer.status, answer.body.error], error).to.deep.equal([status, error]);
    }
  });

  it('[HTTP-PUB-1] goes to no room or app that is disabled', async () => {
    await project.client.patch(`/apps/${appId}`, { status: 'disabled' });
    await eventually(async () => (await publish({ topic, data: 1 })).status === 404);
  });

  it('[WS-ONCE-1] [HTTP-PUB-6] delivers one of those with one id, of all backends, and answers the others like it', async () => {
    const first = await publish({ topic, data: 'x', id: 'order-7' });
    expect(first.body).to.deep.equal({ id: 'order-7', at: first.body.at });
    expect((await publish({ topic, data: 'x', id: 'order-7' })).body).to.deep.equal({
      ...{ id: 'order-7', at: first.body.at, duplicate: true },
    });
    const conflict = await publish({ topic, data: 'y', id: 'order-7' });
    expect([conflict.status, conflict.body.error, conflict.body.code]).to.deep.equal([
      ...[409, 'publish_conflict', 42960],
    ]);
    const { body } = await publish({ messages: [0, 1, 2].map(() => ({ topic, data: 'z', id: 'order-8' })) });
    const results = body.results as readonly { readonly duplicate?: boolean }[];
    expect(results.map(({ duplicate = false }) => duplicate)).to.deep.equal([false, true, true]);
    await publish({ topic, data: 'marker' });
    const got = [await next(), await next(), await next()];
    expect(got.map(({ data }) => data)).to.deep.equal(['x', 'z', 'marker']);
    expect(got[0]?.['meta']).to.include({ id: 'order-7' });
  });

  it('[HTTP-PUB-8] counts towards the quota of the project', async () => {
    project = await service.newProject({ monthlyMessages: 3 });
    ({ topic } = await appWithRoom(project.client, {}));
    expect((await publish({ topic, data: 0, id: 'a' })).status).to.equal(200);
    const { body } = await publish({ messages: [1, 2, 3, 4].map((data) => ({ topic, data })) });
    const results = body.results as readonly { readonly error?: string }[];
    expect(results.map(({ error = 'none' }) => error)).to.deep.equal([
      ...['none', 'none', 'monthly_quota_exceeded', 'monthly_quota_exceeded'],
    ]);
    const refused = await publish({ topic, data: 5 });
    expect([refused.status, refused.body.error]).to.deep.equal([429, 'monthly_quota_exceeded']);
    expect(Number(refused.headers.get('retry-after'))).to.be.greaterThan(0);
    expect((await publish({ topic, data: 0, id: 'a' })).body).to.include({ duplicate: true });
  });

  it('[HTTP-PUB-8] answers all that follows the first message beyond the quota like it, but for duplicates', async () => {
    project = await service.newProject({ monthlyMessages: 2 });
    ({ topic } = await appWithRoom(project.client, {}));
    const known = { topic, data: 0, id: 'a' };
    expect((await publish(known)).status).to.equal(200);
    const messages = [
      ...[
        { topic, data: 1 },
        { topic, data: 2, id: 'b' },
        { topic: `${topic}-missing`, data: 3 },
      ],
      ...[{ topic, data: 4, as: 'nobody' }, { topic, data: 5, filter: 'a/b' }, known],
    ];
    const results = (await publish({ messages })).body.results as readonly { readonly error?: string }[];
    expect(results.map(({ error = 'none' }) => error)).to.deep.equal([
      ...['none', ...Array.from({ length: 4 }, () => 'monthly_quota_exceeded'), 'none'],
    ]);
    expect(results.at(-1)).to.include({ id: 'a', duplicate: true });
  });

  it('[HTTP-PUB-3] calls the trigger webhook as an actor does, and of a backend where it says so', async () => {
    const endpoint = await WebhookEndpoint.open();
    const triggerWebhook = { url: endpoint.url };
    const hooked = await appWithRoom(project.client, { triggerWebhook });
    const { actorTokenId } = await actorOf(project.client);
    const at = { topic: hooked.topic };
    await publish({ ...at, data: 'silent' });
    await publish({ ...at, data: 'suppressed', as: actorTokenId, trigger: false });
    await publish({ ...at, data: 'of an actor', as: actorTokenId });
    await publish({ ...at, data: 'of a backend', trigger: true });
    await eventually(() => endpoint.received.length === 2);
    const bodies = endpoint.received.map(({ json }) => json as Frame);
    expect(bodies.map(({ data, actorId }) => [data, actorId])).to.deep.equal([
      ['of an actor', actorTokenId],
      ['of a backend', null],
    ]);
    await endpoint.close();
  });

  it('[HTTP-PUB-3] retains the last value', async () => {
    await publish({ topic, data: 'kept', retain: true });
    await eventually(async () => {
      const late = await (await join()).subscribe(topic);
      await publish({ topic, data: 'marker' });
      const first = await next(late);
      late.terminate();
      return first['data'] === 'kept';
    });
  });
});
