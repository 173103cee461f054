import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { webhookAnswers, webhookCalls, type WebhookCall } from '@roomwire/shared/wire/bus/webhookCalls';
import { hydrationBody } from '@roomwire/shared/wire/protocol/encodeFrames';
import type { App } from '@roomwire/shared/domain/app';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageBus, QueueWorker } from '@roomwire/shared/ports/messageBus';
import { eventually } from '@roomwire/testing/run/eventually';
import { webhooksOf } from '../../../src/policy/topicConfig.js';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

const at = (name: string, headers?: Record<string, string>) => ({
  url: `https://example.com/${name}`,
  ...(headers && { headers }),
});

describe('[HOOK-CONF-1] the webhooks of a topic', () => {
  const none = { topicConfigs: {}, hydrationWebhook: null, triggerWebhook: null };

  it('are none where nothing is configured', () => {
    expect(webhooksOf(none, 'news')).to.equal(undefined);
    const others = { chat: { webhooks: { onPublish: at('chat') } }, news: { webhooks: {} }, bare: {} };
    for (const topic of ['news', 'bare', 'constructor', '__proto__', 'toString'])
      expect(webhooksOf({ ...none, topicConfigs: others }, topic), topic).to.equal(undefined);
  });

  it('are its own, each separately, or else those of the app', () => {
    const app = { ...none, hydrationWebhook: at('h'), triggerWebhook: at('t') };
    expect(webhooksOf(app, 'news')).to.eql({ onSubscribe: at('h'), onPublish: at('t') });
    const topicConfigs = { news: { webhooks: { onPublish: at('own') } } };
    expect(webhooksOf({ ...app, topicConfigs }, 'news')).to.eql({
      onSubscribe: at('h'),
      onPublish: at('own'),
    });
    expect(webhooksOf({ ...app, topicConfigs }, 'chat')).to.eql({ onSubscribe: at('h'), onPublish: at('t') });
    expect(webhooksOf({ ...none, topicConfigs }, 'news')).to.eql({
      onSubscribe: undefined,
      onPublish: at('own'),
    });
  });
});

describe('webhooks at the gateway', () => {
  let world: World;
  let calls: WebhookCall[];
  let worker: QueueWorker;

  const open = async (bus?: (bus: MessageBus) => MessageBus): Promise<void> => {
    world = await World.open(bus ? { bus } : {});
    calls = [];
    worker = await world.bus.work(webhookCalls, { concurrency: 8 }, async (call) => {
      if (call.projectId === world.projectId) calls.push(call);
    });
  };
  afterEach(async () => {
    await worker.close();
    await world.close();
  });

  const newApp = async (fields: Partial<App>): Promise<App> => {
    const app = await world.app('app-1', fields);
    await world.room(app, 'lobby');
    return app;
  };
  const news = 'app-1/lobby/news';
  const called = (count = 1): Promise<void> =>
    eventually(() => calls.length >= count, { what: `${count} calls` });

  describe('of a publish', () => {
    beforeEach(() => open());

    it('[HOOK-TRIGGER-1] put one call on the bus, with all that it needs', async () => {
      const app = await newApp({ triggerWebhook: at('t', { 'X-Key': 'k', 'X-Other': 'o' }) });
      const { client, id } = await world.member();
      client.publish(news, { n: 1 }, { msgRef: 'm' });
      expect(await client.next()).to.eql({ type: 'published', topic: news, msgRef: 'm' });
      await called();
      const [call] = calls;
      expect(call).to.deep.include({
        kind: 'trigger',
        organizationId: world.organizationId,
        projectId: world.projectId,
        appId: app.appId,
        url: 'https://example.com/t',
        headers: [
          ['X-Key', 'k'],
          ['X-Other', 'o'],
        ],
        room: `${world.projectId}/app-1/_/lobby`,
        roomName: 'lobby',
        topicName: 'news',
        actorId: id,
        scope: null,
        origin: { by: 'publish' },
        attempts: 0,
      });
      expect(decode(call?.data ?? [])).to.eql({ n: 1 });
    });

    it('[HOOK-BODY-3] say which message it was where the body is of version 2, and for how long they are tried on', async () => {
      const app = await newApp({ triggerWebhook: { ...at('t'), retrySeconds: 3_600, bodyVersion: 2 } });
      const client = await world.join();
      client.publish(news, 1, { id: 'order-7' });
      client.publish(news, 2, { qos: 0 });
      await called(2);
      const [given, made] = calls as [WebhookCall, WebhookCall];
      const message = { appSlug: app.slug, topic: news, position: null };
      expect(given).to.deep.include({ retrySeconds: 3_600 });
      expect(given.message).to.deep.include({ ...message, id: 'order-7' });
      expect(made.message).to.deep.include(message);
      expect(made.message?.id).to.match(/^[0-9a-z]{13}\./);
      expect(given.message?.at).to.be.closeTo(Date.now(), 60_000);
    });

    it('[HOOK-BODY-3] have the position of the message where its topic has history, whatever its QoS, in its order', async () => {
      const webhooks = { onPublish: { ...at('t'), bodyVersion: 2 } } as const;
      await newApp({ topicConfigs: { news: { history: {}, webhooks } } });
      const [alice, bob] = [await world.join(), await world.join()];
      await bob.ask({ type: 'subscribe', topic: news, meta: true });
      for (let n = 0; n < 6; n += 1) alice.publish(news, n, { qos: n % 2 });
      const positions: unknown[] = [];
      for (let n = 0; n < 6; n += 1)
        positions.push(((await bob.next()) as { meta: { position: string } }).meta.position);
      await called(6);
      expect(calls.map(({ message }) => message?.position)).to.eql(positions);
      expect(calls.map(({ data }) => decode(data))).to.eql([0, 1, 2, 3, 4, 5]);
    });

    it('[HOOK-TRIGGER-1] name the scope of the actor', async () => {
      await newApp({ triggerWebhook: at('t') });
      const { accessScopeId } = await world.scope('acme', { name: 'Acme' });
      const client = await world.join({ accessScopeId });
      client.publish(news, 1);
      await called();
      expect(calls[0]).to.deep.include({
        room: `${world.projectId}/app-1/acme/lobby`,
        roomName: 'lobby',
        scope: { accessScopeId, slug: 'acme', name: 'Acme' },
      });
    });

    it('[HOOK-CONF-1] are those of the topic; without one there is no call', async () => {
      await newApp({ topicConfigs: { chat: { webhooks: { onPublish: at('chat') } } } });
      const client = await world.join();
      client.publish(news, 1, { msgRef: '1' });
      client.publish('app-1/lobby/chat', 2, { msgRef: '2' });
      await client.next();
      await client.next();
      await called();
      expect(calls.map(({ topicName, url }) => [topicName, url])).to.eql([
        ['chat', 'https://example.com/chat'],
      ]);
      expect(world.gateway.metrics.webhookCalls).to.equal(1);
    });

    it('[HOOK-CONF-2] are the current ones, also on older connections', async () => {
      const app = await newApp({});
      const client = await world.join();
      client.publish(news, 1, { msgRef: '1' });
      await client.next();
      const changes = { triggerWebhook: at('later') };
      await world.happened(
        { type: 'AppUpdated', data: { appId: app.appId, changes } },
        { patch: 'apps', id: app.appId, set: changes },
      );
      client.publish(news, 2, { msgRef: '2' });
      await client.next();
      await called();
      expect(calls.map(({ data }) => decode(data))).to.eql([2]);
    });

    it('[HOOK-TRIGGER-1] are not called for a refused publish', async () => {
      await newApp({ triggerWebhook: at('t'), topics: ['news'] });
      const client = await world.join();
      const observer = await world.join({ actorType: 'observer' });
      client.publish('app-1/lobby/absent', 1, { msgRef: '1' });
      client.publish(news, new Uint8Array(921_700), { msgRef: '2' });
      observer.publish(news, 3, { msgRef: '3' });
      for (const refused of [client, client, observer])
        expect(await refused.next()).to.include({ type: 'error' });
      client.publish(news, 'marker', { msgRef: '4' });
      await client.next();
      await called();
      expect(calls.map(({ data }) => decode(data))).to.eql(['marker']);
    });

    it('[HOOK-TRIGGER-1] are called once for a retained publish, and for any QoS', async () => {
      await newApp({ triggerWebhook: at('t') });
      const client = await world.join();
      client.publish(news, 'kept', { retain: true, msgRef: '1' });
      for (const qos of [0, 1, 2]) client.publish(news, qos, { qos, msgRef: 'm' });
      for (let reply = 0; reply < 4; reply += 1)
        expect(await client.next()).to.include({ type: 'published' });
      await called(4);
      expect(calls.map(({ data }) => decode(data))).to.have.members(['kept', 0, 1, 2]);
    });
  });

  describe('[HOOK-TRIGGER-2] when the bus refuses the call', () => {
    let release: () => void;
    let refuse: (error: Error) => void;

    beforeEach(async () => {
      const stored = new Promise<void>((resolve, reject) => {
        release = resolve;
        refuse = reject;
      });
      stored.catch(() => undefined);
      await open((bus) => overlaid(bus, { put: () => stored }));
      await newApp({ triggerWebhook: at('t') });
    });

    it('a publish is delivered, and answered when the call is safe', async () => {
      const [alice, bob] = [await world.join(), await world.join()];
      await bob.subscribe(news);
      alice.publish(news, 1, { msgRef: 'm' });
      expect(await bob.next()).to.include({ type: 'message', data: 1 });
      alice.send({ type: 'unsubscribe', topic: news });
      expect(await alice.next(), 'nothing waits for the call').to.include({ type: 'unsubscribed' });
      release();
      expect(await alice.next()).to.eql({ type: 'published', topic: news, msgRef: 'm' });
    });

    it('a publish is refused when the call was', async () => {
      const alice = await world.join();
      alice.publish(news, 1, { msgRef: 'm' });
      refuse(new EngineUnavailable('message bus'));
      expect(await alice.next()).to.include({ type: 'error', error: 'broker_unavailable', msgRef: 'm' });
    });

    it('a publish of QoS 0 does not wait', async () => {
      const alice = await world.join();
      alice.publish(news, 1, { qos: 0, msgRef: 'm' });
      expect(await alice.next()).to.eql({ type: 'published', topic: news, msgRef: 'm' });
      refuse(new EngineUnavailable('message bus'));
      await eventually(() => world.gateway.metrics.webhookCallsLost === 1);
    });
  });

  describe('of a subscribe', () => {
    beforeEach(async () => {
      await open();
      await newApp({
        hydrationWebhook: at('h'),
        topicConfigs: { chat: { webhooks: { onPublish: at('p') } } },
      });
    });

    const answer = (call: WebhookCall | undefined, data: unknown): Promise<number> => {
      const { origin } = call ?? expect.fail('no call');
      if (origin.by !== 'subscribe') return expect.fail('not of a subscribe');
      const { gatewayId, subscription } = origin;
      const body = hydrationBody(call?.topicName ?? '', data) ?? encode(null);
      return world.bus.send(webhookAnswers, { gatewayId, subscription, body }, 'stored');
    };

    it('[HOOK-HYDRATE-1] put a call on the bus for each subscribe that takes effect', async () => {
      const { client, id } = await world.member();
      await client.subscribe(news);
      await called();
      expect(calls[0]).to.deep.include({
        kind: 'hydration',
        actorId: id,
        roomName: 'lobby',
        topicName: 'news',
      });
      expect(calls[0]?.data).to.have.lengthOf(0);
      await client.subscribe(news, { filters: ['eu'] });
      await called(2);
      await client.ask({ type: 'subscribe', topic: 'app-1/absent/news' });
      await client.ask({ type: 'subscribe', topic: news, filters: ['+'] });
      await client.subscribe('app-1/lobby/chat');
      await called(3);
      expect(calls.map(({ topicName }) => topicName)).to.eql(['news', 'news', 'chat']);
    });

    it('[HOOK-HYDRATE-1] put a call on the bus for restored subscriptions too', async () => {
      const { token } = await world.actor({ actorType: 'agent' });
      const first = await world.joinAs(token);
      await first.subscribe(news);
      await called();
      await first.close();
      const second = await world.connect();
      const auth = await second.ask({ type: 'auth', token, protocolVersion: 2, reconnect: true });
      expect((auth as { restoredSubscriptions: unknown[] }).restoredSubscriptions).to.have.lengthOf(1);
      await called(2);
      await answer(calls[1], 'again');
      expect(await second.next()).to.eql({ type: 'hydration', topic: 'news', data: 'again' });
    });

    it('[HOOK-HYDRATE-2] delay nothing', async () => {
      const [client, writer] = [await world.join(), await world.join()];
      await client.subscribe(news);
      await called();
      writer.publish(news, 'first');
      expect(await client.next()).to.include({ type: 'message', data: 'first' });
      await answer(calls[0], 'later');
      expect(await client.next()).to.include({ type: 'hydration', data: 'later' });
    });

    it('[HOOK-HYDRATE-3] forward the answer once, to that subscription only', async () => {
      const [alice, bob] = [await world.join(), await world.join()];
      await alice.subscribe(news);
      await called();
      await bob.subscribe(news);
      await called(2);
      await answer(calls[0], { for: 'alice' });
      await answer(calls[0], { for: 'alice, again' });
      await answer(calls[1], { for: 'bob' });
      expect(await alice.next()).to.eql({ type: 'hydration', topic: 'news', data: { for: 'alice' } });
      expect(await bob.next()).to.eql({ type: 'hydration', topic: 'news', data: { for: 'bob' } });
      expect(await alice.ask({ type: 'unsubscribe', topic: news })).to.include({ type: 'unsubscribed' });
      expect(world.gateway.metrics.hydrations).to.equal(2);
    });

    it('[HOOK-HYDRATE-3] send nothing to a subscription that has ended', async () => {
      const client = await world.join();
      await client.subscribe(news);
      await called();
      await client.ask({ type: 'unsubscribe', topic: news });
      await answer(calls[0], 'late');
      await client.subscribe(news);
      await called(2);
      await answer(calls[1], 'new');
      expect(await client.next()).to.include({ type: 'hydration', data: 'new' });
    });

    it('[HOOK-HYDRATE-1] [HOOK-HYDRATE-3] send nothing to an actor that has moved to another scope, and do not call again', async () => {
      const scope = await world.scope('acme');
      const { record, token } = await world.actor();
      const client = await world.joinAs(token);
      await client.subscribe(news);
      await called();
      const changes = { accessScopeId: scope.accessScopeId };
      await world.happened(
        { type: 'ActorUpdated', data: { actorTokenId: record.actorTokenId, changes } },
        { patch: 'actors', id: record.actorTokenId, set: changes },
      );
      const topic = 'app-1/lobby/chat';
      await eventually(async () => {
        await client.ask({ type: 'unsubscribe', topic });
        const asked = calls.length;
        await client.subscribe(topic);
        await called(asked + 1);
        return calls.at(-1)?.room === `${world.projectId}/app-1/acme/lobby`;
      });
      expect(calls.filter(({ topicName }) => topicName === 'news')).to.have.length(1);
      await answer(calls[0], 'of the former scope');
      await answer(calls.at(-1), 'of this scope');
      expect(await client.next()).to.include({ type: 'hydration', data: 'of this scope' });
    });
  });
});
