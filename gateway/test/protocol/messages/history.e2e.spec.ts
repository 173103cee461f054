import { expect } from 'chai';
import { encode } from '@msgpack/msgpack';
import type { TopicHistory } from '@roomwire/shared/domain/app';
import type { Room } from '@roomwire/shared/domain/room';
import type { Frame, FrameClient } from '@roomwire/testing/clients/frameClient';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { World } from '../../support/world.js';

/** An app whose topic `chat` has history, under a slug of its own. */
interface Chat {
  readonly topic: string;
  readonly room: Room;
}

describe('history', () => {
  let world: World;
  let chats = 0;

  before(async () => {
    world = await World.open({ publishRate: 0 });
    await world.startGateway({ publishRate: 0 });
  });
  after(() => world.close());

  const chat = async (history: TopicHistory = {}): Promise<Chat> => {
    const slug = `chat-${++chats}`;
    const room = await world.room(await world.app(slug, { topicConfigs: { chat: { history } } }), 'lobby');
    return { topic: `${slug}/lobby/chat`, room };
  };

  const next = async (client: FrameClient): Promise<Frame> => (await client.next()) as Frame;
  const ask = async (client: FrameClient, frame: object): Promise<Frame> =>
    (await client.ask(frame)) as Frame;

  /** Resolves when all are `published`. */
  const publish = async (client: FrameClient, topic: string, ...data: readonly unknown[]): Promise<void> => {
    for (const [n, value] of data.entries()) client.publish(topic, value, { msgRef: String(n) });
    for (let n = 0; n < data.length; n++) expect(await next(client)).to.include({ type: 'published' });
  };

  const subscribe = (client: FrameClient, topic: string, options: object): Promise<Frame> =>
    ask(client, { type: 'subscribe', topic, ...options });

  /** The frames of a replay: its messages, in the order in which they come. */
  const replay = async (client: FrameClient, topic: string): Promise<readonly Frame[]> => {
    const { type, topic: of, count } = await next(client);
    expect([type, of]).to.deep.equal(['replayStart', topic]);
    const messages: Frame[] = [];
    for (let n = 0; n < (count as number); n++) messages.push(await next(client));
    expect(messages.every(({ isReplay }) => isReplay === true)).to.equal(true);
    expect(await next(client)).to.deep.equal({ type: 'replayEnd', topic, replayed: count });
    return messages;
  };

  const isMessage = ({ type }: Frame): boolean => type === 'message';
  const dataOf = (frames: readonly Frame[]): readonly unknown[] => frames.map(({ data }) => data);

  it('[WS-AUTH-19] is among the features', async () => {
    const { token } = await world.actor();
    const reply = await ask(await world.connect(), { type: 'auth', token, features: true });
    expect(reply['features']).to.include('history');
  });

  it('[WS-HIST-3] [WS-HIST-4] [WS-HIST-7] is replayed, and the live messages follow', async () => {
    const { topic } = await chat();
    const writer = await world.join();
    await publish(writer, topic, 'one', 'two', 'three');
    const reader = await world.join({}, 1);
    const subscribed = await subscribe(reader, topic, { from: { last: 2 }, meta: true });
    expect(subscribed).to.include({ type: 'subscribed', topic, loadBalance: false, continuity: 'fresh' });
    expect(subscribed).not.to.have.property('gap');
    const replayed = await replay(reader, topic);
    expect(dataOf(replayed)).to.deep.equal(['two', 'three']);
    expect((replayed[1]?.['meta'] as Frame)['position']).to.equal(subscribed['position']);
    await publish(writer, topic, 'four');
    const live = await next(reader);
    expect(live).to.include({ type: 'message', data: 'four' }).and.not.to.have.property('isReplay');
    const { position } = live['meta'] as { position: string };
    expect(position > (subscribed['position'] as string)).to.equal(true);
  });

  it('[WS-HIST-2] [WS-META-2] has one position of each message, on every gateway and however it comes', async () => {
    const { topic } = await chat();
    const readers = [await world.join({}, 0), await world.join({}, 1)];
    for (const reader of readers)
      expect(await subscribe(reader, topic, { meta: true })).to.deep.include({ meta: true, position: '' });
    const writer = await world.join();
    await publish(writer, topic, 1, 2, 3);
    const positions: unknown[][] = [[], []];
    for (const [n, reader] of readers.entries())
      for (let k = 0; k < 3; k++) positions[n]?.push(((await next(reader))['meta'] as Frame)['position']);
    expect(positions[0]).to.deep.equal(positions[1]);
    expect(positions[0]).to.deep.equal([...(positions[0] ?? [])].sort());
    const { messages } = await ask(writer, { type: 'history', topic, after: '' });
    expect((messages as Frame[]).map(({ position }) => position)).to.deep.equal(positions[0]);
    await subscribe(readers[0] as FrameClient, topic, { meta: true, from: { position: '' } });
    const replayed = await replay(readers[0] as FrameClient, topic);
    expect(replayed.map(({ meta }) => (meta as Frame)['position'])).to.deep.equal(positions[0]);
    for (const position of positions[0] ?? []) expect(position).to.match(/^[0-9A-Za-z._-]{1,64}$/);
  });

  it('[WS-HIST-5] goes on behind a position, or says that it cannot', async () => {
    const { topic } = await chat({ messages: 3 });
    const writer = await world.join();
    await publish(writer, topic, 1, 2, 3);
    const { messages } = await ask(writer, { type: 'history', topic, after: '' });
    const [first, second] = (messages as Frame[]).map(({ position }) => position as string);
    const reader = await world.join();
    expect(await subscribe(reader, topic, { from: { position: first } })).to.include({
      continuity: 'continuous',
    });
    expect(dataOf(await replay(reader, topic))).to.deep.equal([2, 3]);
    await publish(writer, topic, 4, 5);
    for (const data of [4, 5]) expect(await next(reader)).to.include({ data });
    const other = await world.join({}, 1);
    expect(await subscribe(other, topic, { from: { position: second } })).to.include({
      continuity: 'continuous',
    });
    expect(dataOf(await replay(other, topic))).to.deep.equal([3, 4, 5]);
    const late = await subscribe(other, topic, { from: { position: first }, meta: true });
    const replayed = await replay(other, topic);
    expect(late).to.deep.include({
      continuity: 'gap',
      gap: { reason: 'expired', after: first, before: (replayed[0]?.['meta'] as Frame)['position'] },
    });
    expect(dataOf(replayed)).to.deep.equal([3, 4, 5]);
    const foreign = await chat();
    expect(await subscribe(other, foreign.topic, { from: { position: first } })).to.deep.include({
      continuity: 'gap',
      gap: { reason: 'unknown' },
      position: '',
    });
  });

  it('[WS-HIST-6] with `refuse` a gap ends the subscription, also one that was there', async () => {
    const { topic } = await chat({ messages: 1 });
    const writer = await world.join();
    const reader = await world.join();
    await reader.subscribe(topic);
    await publish(writer, topic, 1, 2);
    for (const data of [1, 2]) expect(await next(reader)).to.include({ data });
    const from = { position: '' };
    expect(await subscribe(reader, topic, { from, onGap: 'refuse' })).to.deep.include({
      ...{ type: 'error', error: 'continuity_lost', code: 42950, topic },
    });
    await publish(writer, topic, 3);
    expect(await ask(reader, { type: 'setFilters', topic, filters: ['a'] })).to.include({
      error: 'not_subscribed',
    });
    expect(await subscribe(reader, topic, { from: { last: 1 }, onGap: 'refuse' })).to.include({
      continuity: 'fresh',
    });
    expect(dataOf(await replay(reader, topic))).to.deep.equal([3]);
  });

  it('[WS-HIST-7] has none missing and none twice while others publish on both gateways', async () => {
    const { topic } = await chat({ messages: 100_000 });
    const writers = [await world.join({}, 0), await world.join({}, 1)];
    const sent = [0, 0];
    const batch = (w: number) => Array.from({ length: 10 }, () => [w, (sent[w] as number)++]);
    const got: (readonly [number, number])[][] = [];
    for (let round = 0; round < 10; round++) {
      const reader = await world.join({}, round % 2);
      const publishing = writers.map(async (writer, w) => {
        for (let n = 0; n < 5; n++) await publish(writer, topic, ...batch(w));
      });
      expect(await subscribe(reader, topic, { from: { position: '' } })).to.include({
        continuity: 'continuous',
      });
      const frames: Frame[] = [];
      while (frames.filter(isMessage).length < 100 * (round + 1)) frames.push(await next(reader));
      got.push(frames.filter(isMessage).map(({ data }) => data as readonly [number, number]));
      await Promise.all([...publishing, reader.close()]);
    }
    for (const messages of got) {
      const counts = [0, 0];
      for (const [w, n] of messages) expect(n).to.equal((counts[w] as number)++);
    }
    const longest = got.at(-1) ?? [];
    for (const messages of got) expect(messages).to.deep.equal(longest.slice(0, messages.length));
  });

  it('[WS-HIST-9] leaves out what filters, `own` and the rights leave out, which is no gap', async () => {
    const { topic } = await chat();
    const { record, token } = await world.actor();
    const writer = await world.join();
    const own = await world.joinAs(token);
    writer.publish(topic, 'a', { filter: 'x' });
    await publish(writer, topic, 'b');
    own.publish(topic, 'c', { filter: 'x' });
    await publish(own, topic, 'd');
    const reader = await world.joinAs(token, 1);
    expect(await subscribe(reader, topic, { from: { position: '' }, filters: ['x'] })).to.include({
      continuity: 'continuous',
    });
    expect(dataOf(await replay(reader, topic))).to.deep.equal(['a']);
    await subscribe(reader, topic, { from: { last: 10 }, own: true });
    expect(dataOf(await replay(reader, topic))).to.deep.equal(['a', 'b', 'c', 'd']);
    await subscribe(own, topic, { from: { last: 10 }, own: true });
    expect(dataOf(await replay(own, topic))).to.deep.equal(['a', 'b', 'c', 'd']);
    await subscribe(own, topic, { from: { last: 10 } });
    expect(dataOf(await replay(own, topic))).to.deep.equal(['a', 'b']);
    expect(record.actorTokenId).to.be.a('string');
    const stranger = await world.join({ actorType: 'observer' });
    expect(await subscribe(stranger, topic, { from: { last: 1 } })).to.include({ type: 'subscribed' });
  });

  it('[WS-HIST-7] has no last value besides', async () => {
    const { topic } = await chat();
    const writer = await world.join();
    writer.publish(topic, 'kept', { retain: true });
    await publish(writer, topic, 'newer');
    await world.spread();
    const reader = await world.join();
    await subscribe(reader, topic, { from: { last: 1 } });
    expect(dataOf(await replay(reader, topic))).to.deep.equal(['newer']);
    await publish(writer, topic, 'live');
    expect(await next(reader)).to.include({ data: 'live' });
  });

  it('[WS-META-2] the last value has its position, too', async () => {
    const { topic } = await chat();
    const watcher = await (await world.join()).subscribe(topic, { meta: true });
    const writer = await world.join();
    writer.publish(topic, 'value', { retain: true });
    const live = await next(watcher);
    const reader = await world.join();
    await subscribe(reader, topic, { meta: true });
    expect((await next(reader))['meta']).to.deep.equal(live['meta']);
    expect(live['meta']).to.have.property('position');
  });

  it('[WS-HIST-11] is refused on a topic without it', async () => {
    const { topic: chatTopic } = await chat();
    const topic = chatTopic.replace(/chat$/, 'news');
    const client = await world.join();
    const refused = { type: 'error', error: 'history_disabled', code: 42951, topic };
    expect(await subscribe(client, topic, { from: { last: 1 } })).to.deep.include(refused);
    expect(await ask(client, { type: 'history', topic, ref: 'r' })).to.deep.include({ ...refused, ref: 'r' });
    expect(await subscribe(client, topic, { meta: true })).not.to.have.property('position');
    const missing = await ask(client, { type: 'history', topic: 'no/such/topic', ref: 's' });
    expect(missing).to.include({ error: 'unknown_topic', ref: 's' });
  });

  it('[WS-HIST-12] can be asked for without a subscription, by pages', async () => {
    const { topic } = await chat();
    const { record, token } = await world.actor();
    const writer = await world.joinAs(token);
    writer.publish(topic, { n: 1 }, { filter: 'f', id: 'order-1' });
    await publish(writer, topic, 2, 3);
    const first = await ask(writer, { type: 'history', topic, limit: 2, ref: '7' });
    expect(first).to.include({ type: 'history', topic, ref: '7' }).and.not.to.have.property('gap');
    expect(dataOf(first['messages'] as Frame[])).to.deep.equal([3, 2]);
    const second = await ask(writer, { type: 'history', topic, limit: 2, before: first['next'] });
    expect(second).not.to.have.any.keys('next', 'ref');
    const [oldest] = second['messages'] as Frame[];
    expect(oldest).to.deep.include({ id: 'order-1', from: record.actorTokenId, filter: 'f', data: { n: 1 } });
    expect(oldest?.['at']).to.be.within(Date.now() - 60_000, Date.now());
    expect((first['messages'] as Frame[])[0]).to.include({ filter: null });
    const upwards = await ask(writer, { type: 'history', topic, after: oldest?.['position'], limit: 1 });
    expect(dataOf(upwards['messages'] as Frame[])).to.deep.equal([2]);
    expect(upwards).to.have.property('next');
  });

  it('[WS-HIST-12] answers with less than a mebibyte', async () => {
    const { topic } = await chat();
    const writer = await world.join();
    await publish(writer, topic, ...Array.from({ length: 5 }, (_, n) => new Uint8Array(300_000).fill(n)));
    const frame = await ask(writer, { type: 'history', topic });
    expect(encode(frame).length).to.be.below(1024 * 1024);
    expect(frame['messages']).to.have.length(3);
    const rest = await ask(writer, { type: 'history', topic, before: frame['next'] });
    expect((rest['messages'] as Frame[]).map(({ data }) => (data as Uint8Array)[0])).to.deep.equal([1, 0]);
    const named = await ask(writer, { type: 'history', topic, ref: 'ä'.repeat(100_000) });
    expect(encode(named).length).to.be.below(1024 * 1024);
    expect(named['messages']).to.have.length(2);
  });

  it('[WS-HIST-1] keeps what is newest and not too old, by the bounds of now', async () => {
    const { topic, room } = await chat({ seconds: 3_600, messages: 4 });
    const writer = await world.join();
    await publish(writer, topic, 1, 2, 3, 4, 5, 6);
    const shown = async () => dataOf((await ask(writer, { type: 'history', topic }))['messages'] as Frame[]);
    expect(await shown()).to.deep.equal([6, 5, 4, 3]);
    const app = await world.find('apps', { appId: room.appId });
    const bounded = { chat: { history: { messages: 2 } } };
    await world.happened(
      { type: 'AppUpdated', data: { appId: app.appId, changes: { topicConfigs: bounded } } },
      { put: 'apps', id: app.appId, doc: { ...app, topicConfigs: bounded } },
    );
    expect(await shown()).to.deep.equal([6, 5]);
  });

  it('[WS-HIST-8] replays the newest thousand, and says that there was more', async () => {
    const { topic } = await chat({ messages: 5_000 });
    const writer = await world.join();
    await publish(writer, topic, ...Array.from({ length: 1_003 }, (_, n) => n));
    const reader = await world.join({}, 1);
    const subscribed = await subscribe(reader, topic, { from: { position: '' } });
    expect(subscribed).to.deep.include({ continuity: 'gap' });
    expect(subscribed['gap']).to.include({ reason: 'limit', after: '' });
    const replayed = await replay(reader, topic);
    expect(dataOf(replayed)).to.deep.equal(Array.from({ length: 1_000 }, (_, n) => n + 3));
  });

  it('[WS-HIST-13] is gone when its room is, also for a new room of the same name', async () => {
    const { topic, room } = await chat();
    const writer = await world.join();
    await publish(writer, topic, 1);
    const { messages } = await ask(writer, { type: 'history', topic });
    const { position } = (messages as Frame[])[0] as Frame;
    await world.happened(
      {
        type: 'RoomDeleted',
        data: { roomId: room.roomId, appId: room.appId, projectId: room.projectId },
      } as never,
      { remove: 'rooms', id: room.roomId },
    );
    const app = await world.find('apps', { appId: room.appId });
    const made = await world.room(app, room.slug);
    await world.tell('RoomCreated', made, 1);
    expect(await ask(writer, { type: 'history', topic })).to.deep.include({ messages: [] });
    expect(await subscribe(writer, topic, { from: { position } })).to.deep.include({
      gap: { reason: 'unknown' },
    });
  });

  it('[WS-HIST-10] does not close a client that reads slowly, whatever waits behind the replay', async () => {
    const { topic } = await chat({ messages: 10_000 });
    const writer = await world.join();
    const block = new Uint8Array(200_000);
    const publishBlocks = (from: number, to: number) =>
      publish(writer, topic, ...Array.from({ length: to - from }, (_, n) => [from + n, block]));
    await publishBlocks(0, 20);
    const slow = await world.join({}, 1);
    expect(await subscribe(slow, topic, { from: { position: '' } })).to.include({ continuity: 'continuous' });
    slow.webSocket.pause();
    // More than may wait for a slow consumer.
    await publishBlocks(20, 80);
    slow.webSocket.resume();
    const numbers: number[] = [];
    while (numbers.at(-1) !== 79) {
      const { type, data } = await next(slow);
      if (type === 'message') numbers.push((data as readonly [number])[0]);
    }
    expect(numbers).to.deep.equal(Array.from({ length: 80 }, (_, n) => n));
    expect(slow.isClosed).to.equal(false);
  });

  const missesNone = async (again: object): Promise<void> => {
    const [{ topic }, { topic: other }] = [await chat(), await chat()];
    const writer = await world.join({}, 1);
    const witness = await (await world.join({}, 1)).subscribe(topic);
    const metric = async (name: string) =>
      (await collectedMetrics(world.gatewayAt(1).collect)).get(`roomwire_${name}`) ?? 0;
    const block = new Uint8Array(200_000);
    await publish(writer, topic, ...Array.from({ length: 15 }, (_, n) => [n, block]));
    for (let n = 0; n < 15; n++) await next(witness);
    const before = await metric('replays_total');
    const slow = await (await world.join({}, 1)).subscribe(other);
    slow.webSocket.pause();
    // From now on the system takes nothing more off the gateway.
    while ((await metric('outbox_largest_bytes')) === 0) await publish(writer, other, new Uint8Array(50_000));
    slow.send({ type: 'subscribe', topic, from: { position: '' } });
    await eventually(async () => (await metric('replays_total')) > before, { what: 'the replay' });
    await publish(writer, topic, [15], [16]);
    for (let n = 15; n < 17; n++) expect(await next(witness)).to.deep.include({ data: [n] });
    slow.send({ type: 'subscribe', topic, ...again });
    slow.webSocket.resume();
    await publish(writer, topic, [17]);
    const frames: Frame[] = [];
    const isOfTopic = (frame: Frame) => isMessage(frame) && frame['topic'] === topic;
    const numbers = () => frames.filter(isOfTopic).map(({ data }) => (data as readonly [number])[0]);
    const answers = () => frames.filter(({ type }) => type === 'subscribed').length;
    while (numbers().at(-1) !== 17 || answers() < 2) frames.push(await next(slow));
    expect(numbers()).to.deep.equal(Array.from({ length: 18 }, (_, n) => n));
  };

  it('[WS-SUB-2] [WS-HIST-7] misses none where a client subscribes again before its replay is over', () =>
    missesNone({ meta: true }));

  it('[WS-SUB-2] [WS-GROUP-6] misses none where a client enters a worker group before its replay is over', () =>
    missesNone({ loadBalance: true, loadBalanceGroup: 'workers' }));

  /** A client whose subscribe waits until it reads, while history is switched off. */
  const switchedOff = async (wasThere: boolean) => {
    const [{ topic, room }, { topic: other }] = [await chat(), await chat()];
    const writer = await world.join({}, 1);
    const metric = async (name: string) =>
      (await collectedMetrics(world.gatewayAt(1).collect)).get(`roomwire_${name}`) ?? 0;
    const slow = await (await world.join({}, 1)).subscribe(other);
    if (wasThere) await slow.subscribe(topic);
    slow.webSocket.pause();
    while ((await metric('outbox_largest_bytes')) < 512 * 1024)
      await publish(writer, other, new Uint8Array(50_000));
    slow.send({ type: 'subscribe', topic, from: { position: '' } });
    let published = 0;
    for (; (await metric('shared_memory_bytes replays')) === 0; published++)
      await publish(writer, topic, published);
    // The rights of one after the other are looked at again.
    const later = await world.connect(1);
    const { token } = await world.actor();
    await later.ask({ type: 'auth', token, notices: true });
    await later.subscribe(topic.replace(/chat$/, 'news'));
    const { appId } = room;
    const changes = { topicConfigs: {}, topics: ['chat'] };
    await world.happened(
      { type: 'AppUpdated', data: { appId, changes } },
      { patch: 'apps', id: appId, set: changes },
    );
    expect(await next(later)).to.include({ type: 'subscriptionEnded', reason: 'topic_removed' });
    slow.webSocket.resume();
    const frames: Frame[] = [];
    while (frames.at(-1)?.type !== 'error') frames.push(await next(slow));
    expect(frames.at(-1)).to.include({ error: 'history_disabled' });
    await publish(writer, topic, published);
    const isOfTopic = (frame: Frame) => isMessage(frame) && frame['topic'] === topic;
    return { slow, topic, published, got: dataOf(frames.filter(isOfTopic)) };
  };

  it('[WS-HIST-11] [WS-SUB-2] leaves out nothing of a subscription that was there where it is switched off before a replay', async () => {
    const { slow, got, published } = await switchedOff(true);
    expect([...got, (await next(slow))['data']]).to.deep.equal(
      Array.from({ length: published + 1 }, (_, n) => n),
    );
  });

  it('[WS-HIST-11] begins no subscription where it is switched off before a replay', async () => {
    const { slow, topic, got } = await switchedOff(false);
    expect(got).to.deep.equal([]);
    expect(await ask(slow, { type: 'setFilters', topic, filters: [] })).to.include({
      error: 'not_subscribed',
    });
  });
});
