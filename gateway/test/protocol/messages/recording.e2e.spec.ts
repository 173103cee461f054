import { decode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { MessageStore, RecordedMessage } from '@roomwire/shared/ports/messageStore';
import type { App } from '@roomwire/shared/domain/app';
import { eventually } from '@roomwire/testing/run/eventually';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { overlaid } from '../../support/overlaid.js';
import { World, type WorldOptions } from '../../support/world.js';

const logged = { news: { logging: { enabled: true, retention: '1d' } } } as const;

const gate = () => {
  let allow = (): void => undefined;
  const allowed = new Promise<void>((resolve) => (allow = resolve));
  return { allow, allowed };
};

describe('message recording', () => {
  let world: World;
  let app: App;
  const [news, chat] = ['app-1/lobby/news', 'app-1/lobby/chat'];

  const open = async (options: WorldOptions = {}): Promise<void> => {
    world = await World.open({ messageStore: (record) => record, ...options });
    app = await world.app('app-1', { topicConfigs: logged });
    await world.room(app, 'lobby');
  };

  afterEach(() => world.close());

  const publish = (writer: FrameClient, topic: string, data: unknown, options: Frame = {}) =>
    writer.ask({ type: 'publish', topic, data, msgRef: 'r', ...options });

  const recorded = async (topic = 'news'): Promise<RecordedMessage[]> => {
    const record = await world.messageStore();
    const { pages } = await record.replay(`${world.projectId}/app-1/_/lobby/${topic}`, {
      sinceMs: 0,
      limit: 100_000,
    });
    const all: RecordedMessage[] = [];
    for await (const page of pages) all.push(...page);
    return all;
  };

  const recordedData = async (topic?: string): Promise<unknown[]> =>
    (await recorded(topic)).map(({ message }) => (decode(message.body) as Frame)['data']);

  const next = async (reader: FrameClient): Promise<Frame> => {
    const frame = await reader.next();
    if (frame === 'heartbeat') throw new Error('A heartbeat');
    return frame;
  };

  describe('where it is on', () => {
    beforeEach(() => open());

    it('[WS-RECORD-1] every message has an id of its own, the same for all, and requests an acknowledgement', async () => {
      const { token } = await world.actor();
      const old = await (await (await world.connect()).authenticate(token, 1)).subscribe(chat);
      const readers = [await (await world.join()).subscribe(chat), old];
      const writer = await world.join();
      writer.publish(chat, 1).publish(chat, 2, { filter: 'f' });
      const ids = new Set<unknown>();
      for (const reader of readers) {
        const [first, second] = [await next(reader), await next(reader)];
        const common = { type: 'message', topic: chat, requiresAck: true };
        expect(first).to.deep.equal({ ...common, data: 1, msgId: first['msgId'] });
        expect(second).to.deep.equal({ ...common, data: 2, filter: 'f', msgId: second['msgId'] });
        ids.add(first['msgId']).add(second['msgId']);
      }
      expect([...ids].map((id) => typeof id)).to.deep.equal(['string', 'string']);
    });

    it('[WS-RECORD-1] a retained value keeps the id of the live message', async () => {
      const early = await (await world.join()).subscribe(news);
      await publish(await world.join(), news, 'last', { retain: true });
      const live = await next(early);
      expect(live).to.include({ data: 'last', requiresAck: true });
      const late = await (await world.join()).subscribe(news);
      expect(await late.next()).to.deep.equal(live);
    });

    it('[WS-RECORD-2] records every accepted publish to a topic that is logged, as its subscribers get it', async () => {
      const reader = await (await world.join()).subscribe(news);
      const writer = await world.member();
      const frames: Frame[] = [];
      for (const qos of [1, 2]) {
        await publish(
          writer.client,
          news,
          { qos },
          { qos, filters: ['a', 'b'], filter: 'c', retain: qos === 2 },
        );
        frames.push(await next(reader));
      }
      const found = await recorded();
      expect(found.map(({ message }) => decode(message.body))).to.deep.equal(frames);
      expect(found.map(({ message }) => message.id)).to.deep.equal(frames.map((frame) => frame['msgId']));
      const [first] = found;
      expect(first?.message).to.deep.include({ publisher: writer.id, qos: 1, filters: ['c', 'a', 'b'] });
      expect(world.gateway.metrics).to.include({ recorded: 2, recordFailures: 0 });
    });

    it('[WS-RECORD-2] records nothing of other topics, and no refused publish', async () => {
      const writer = await world.join();
      await publish(writer, chat, 1);
      await publish(writer, news, 2, { filter: '#' });
      await publish(await world.join({ actorType: 'observer' }), news, 3);
      await publish(writer, news, 4);
      expect(await recordedData('chat')).to.deep.equal([]);
      expect(await recordedData()).to.deep.equal([4]);
    });

    it('[WS-RECORD-2] begins and ends with the configuration of the topic', async () => {
      const writer = await world.join();
      const configure = (topicConfigs: App['topicConfigs']) =>
        world.happened(
          { type: 'AppUpdated', data: { appId: app.appId, changes: { topicConfigs } } },
          { patch: 'apps', id: app.appId, set: { topicConfigs } },
        );
      await publish(writer, news, 1);
      await configure({ chat: { logging: { enabled: true } } });
      await publish(writer, news, 2);
      await publish(writer, chat, 3);
      await configure(logged);
      await publish(writer, news, 4);
      await publish(writer, chat, 5);
      expect(await recordedData()).to.deep.equal([1, 4]);
      expect(await recordedData('chat')).to.deep.equal([3]);
    });

    it('[WS-RECORD-3] records at QoS 0 as well, without waiting for the record', async () => {
      const writer = await world.join();
      for (let n = 0; n < 20; n++) writer.publish(news, n, { qos: 0 });
      await publish(writer, news, 'last');
      expect(await recordedData()).to.deep.equal([...Array.from({ length: 20 }, (_, n) => n), 'last']);
    });

    it('[WS-RECORD-4] separates scopes', async () => {
      const scope = await world.scope('red');
      const inside = await world.join({ accessScopeId: scope.accessScopeId });
      await publish(inside, news, 'inside');
      await publish(await world.join(), news, 'outside');
      expect(await recordedData()).to.deep.equal(['outside']);
      const record = await world.messageStore();
      const range = { sinceMs: 0, limit: 10 };
      expect(await record.replay(`${world.projectId}/app-1/red/lobby/news`, range)).to.include({ count: 1 });
    });
  });

  describe('that is slow', () => {
    let pass: () => void;

    beforeEach(() => {
      const { allow, allowed } = gate();
      pass = allow;
      return open({
        messageStore: (real): MessageStore =>
          overlaid(real, {
            append: async (message, retention) => {
              await allowed;
              await real.append(message, retention);
            },
          }),
      });
    });

    it('[WS-RECORD-3] delays published, and the message, until it is safe', async () => {
      const reader = await (await world.join()).subscribe(news);
      await reader.subscribe(chat);
      const writer = await world.join();
      writer
        .publish(news, 1, { msgRef: 'first' })
        .publish(news, 2, { qos: 0 })
        .publish(news, 3, { retain: true });
      (await world.join()).publish(chat, 'marker');
      expect(await reader.next()).to.include({ data: 'marker' });
      expect(await recorded()).to.deep.equal([]);
      pass();
      expect(await writer.next()).to.include({ type: 'published', msgRef: 'first' });
      for (const data of [1, 2, 3]) expect(await reader.next()).to.include({ data });
    });

    it('[WS-RECORD-3] delivers what it has accepted, in order, although the connection is closed meanwhile', async () => {
      const reader = await (await world.join()).subscribe(news);
      await reader.subscribe(chat);
      const writer = await world.join();
      for (let n = 0; n < 20; n++) writer.publish(n % 2 === 0 ? news : chat, n, { retain: n === 4 });
      // The answer shows that everything before it has been read.
      await writer.ask({ type: 'unsubscribe', topic: news });
      await writer.close();
      pass();
      for (let n = 0; n < 20; n++) expect(await reader.next()).to.include({ data: n });
    });

    it('[WS-RECORD-3] stops reading while more than 1 MiB waits', async () => {
      const writer = await world.join();
      const large = new Uint8Array(600_000);
      writer.publish(news, large).publish(news, large).publish(chat, 'behind', { msgRef: 'behind' });
      writer.send({ type: 'unsubscribe', topic: chat });
      const { metrics } = world.gateway;
      await eventually(() => metrics.publishes === 2);
      await publish(await world.join(), chat, 'marker');
      expect(metrics.publishes).to.equal(3);
      pass();
      const answers = [await next(writer), await next(writer)].map(({ type }) => type);
      expect(answers).to.have.members(['published', 'unsubscribed']);
    });

    it('[WS-RECORD-3] does not delay QoS 0, nor topics that are not logged', async () => {
      const reader = await (await world.join()).subscribe(news);
      await reader.subscribe(chat);
      const writer = await world.join();
      expect(await publish(writer, news, 'soon', { qos: 0 })).to.include({ type: 'published' });
      expect(await publish(writer, chat, 'other')).to.include({ type: 'published' });
      expect(await reader.next()).to.include({ data: 'soon' });
      expect(await reader.next()).to.include({ data: 'other' });
      pass();
    });
  });

  it('[WS-RECORD-3] refuses what it cannot record, and does not deliver it', async () => {
    let isBroken = true;
    await open({
      messageStore: (real) =>
        overlaid(real, {
          append: (message, retention) =>
            isBroken
              ? Promise.reject(new EngineUnavailable('message store'))
              : real.append(message, retention),
        }),
    });
    const reader = await (await world.join()).subscribe(news);
    const writer = await world.join();
    expect(await publish(writer, news, 1)).to.deep.equal({
      type: 'error',
      error: 'broker_unavailable',
      topic: news,
      msgRef: 'r',
    });
    expect(await publish(writer, news, 2, { retain: true })).to.include({ error: 'broker_unavailable' });
    expect(await publish(writer, news, 3, { qos: 0 })).to.include({ type: 'published' });
    isBroken = false;
    expect(await publish(writer, news, 4)).to.include({ type: 'published' });
    expect(await reader.next()).to.include({ data: 3 });
    expect(await reader.next()).to.include({ data: 4 });
    expect(await recordedData()).to.deep.equal([4]);
    expect(world.gateway.metrics.recordFailures).to.equal(3);
    const late = await (await world.join()).subscribe(news);
    await publish(writer, news, 'marker');
    expect(await late.next()).to.include({ data: 'marker' });
  });

  it('[WS-RECORD-1] is off unless it is enabled: no ids, and nothing is recorded', async () => {
    world = await World.open();
    app = await world.app('app-1', { topicConfigs: logged });
    await world.room(app, 'lobby');
    const reader = await (await world.join()).subscribe(news);
    await publish(await world.join(), news, 1);
    expect(await reader.next()).to.deep.equal({ type: 'message', topic: news, data: 1 });
    expect(await recorded()).to.deep.equal([]);
  });
});
