import { expect } from 'chai';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { joiningAfter } from '../../support/joiningAfter.js';
import { World } from '../../support/world.js';

describe('subscribe', () => {
  let world: World;
  let topic: string;

  beforeEach(async () => {
    world = await World.open();
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  it('[WS-SUB-1] is answered subscribed', async () => {
    const client = await world.join();
    expect(await client.ask({ type: 'subscribe', topic })).to.deep.equal({
      type: 'subscribed',
      topic,
      loadBalance: false,
    });
  });

  it('[WS-SUB-1] is answered only when the bus delivers the room', async () => {
    let attend: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      attend = resolve;
    });
    let allow: () => void = () => undefined;
    const allowed = new Promise<void>((resolve) => (allow = resolve));
    const slow = await World.open({
      bus: joiningAfter(() => {
        attend();
        return allowed;
      }),
    });
    const slowTopic = await slow.newsroom();
    const reader = await slow.join();
    const writer = await slow.join();
    reader.send({ type: 'subscribe', topic: slowTopic });
    await asked;
    writer.publish(slowTopic, 'too early', { msgRef: '1' });
    expect(await writer.next()).to.include({ type: 'published' });
    allow();
    expect(await reader.next()).to.include({ type: 'subscribed' });
    writer.publish(slowTopic, 'in time');
    expect(await reader.next()).to.include({ data: 'in time' });
    await slow.close();
  });

  it('[WS-SUB-2] again is answered the same way, and causes no duplicates', async () => {
    const reader = await (await (await world.join()).subscribe(topic)).subscribe(topic, { qos: 2 });
    const writer = await world.join();
    writer.publish(topic, 1).publish(topic, 2);
    expect(await reader.next()).to.include({ data: 1 });
    expect(await reader.next()).to.include({ data: 2 });
  });

  it('[WS-SUB-2] again switches the filters in place', async () => {
    const reader = await (await world.join()).subscribe(topic, { filters: ['eu'] });
    const writer = await world.join();
    await reader.subscribe(topic, { filters: ['us'] });
    writer.publish(topic, 'for eu', { filter: 'eu' }).publish(topic, 'for us', { filter: 'us' });
    expect(await reader.next()).to.include({ data: 'for us' });
    await reader.subscribe(topic);
    writer.publish(topic, 'for all');
    expect(await reader.next()).to.include({ data: 'for all' });
  });

  it('[WS-SUB-3] takes effect for one topic of the room and not for the others', async () => {
    const reader = await (await world.join()).subscribe(topic);
    const writer = await world.join();
    writer.publish('app-1/lobby/chat', 'chat').publish(topic, 'marker');
    expect(await reader.next()).to.include({ topic, data: 'marker' });
  });

  it('[WS-UNSUB-1] unsubscribe is answered, and nothing is delivered after it', async () => {
    const reader = await (await (await world.join()).subscribe(topic)).subscribe('app-1/lobby/chat');
    const writer = await world.join();
    expect(await reader.ask({ type: 'unsubscribe', topic })).to.deep.equal({ type: 'unsubscribed', topic });
    writer.publish(topic, 'unheard').publish('app-1/lobby/chat', 'marker');
    expect(await reader.next()).to.include({ data: 'marker' });
  });

  it('[WS-UNSUB-1] unsubscribe without a subscription is answered the same way', async () => {
    const client = await world.join();
    for (const any of [topic, 'no/such/room', 'nonsense', '']) {
      expect(await client.ask({ type: 'unsubscribe', topic: any })).to.deep.equal({
        type: 'unsubscribed',
        topic: any,
      });
    }
  });

  it('[WS-SUB-3] continues when others in the same topic leave', async () => {
    const reader = async () => (await world.join()).subscribe(topic);
    const [first, second, third, fourth] = [await reader(), await reader(), await reader(), await reader()];
    await second.ask({ type: 'unsubscribe', topic });
    await fourth.close();
    (await world.join()).publish(topic, 'still here');
    expect(await first.next()).to.include({ data: 'still here' });
    expect(await third.next()).to.include({ data: 'still here' });
  });
});

describe('an address', () => {
  let world: World;

  before(async () => {
    world = await World.open();
    await world.newsroom();
  });

  after(() => world.close());

  const unknown = [
    'app-1/lobby',
    'app-1/lobby/news/more',
    '',
    '//',
    'app-1//news',
    'app-1/lobby/',
    'app-1/lobby/#',
    'app-1/lobby/+',
    'app-1/*/news',
    '#',
    'app-1/lobby/news\0',
    'app-1/lobby/news\n',
    'App-1/lobby/news',
    'app-1/lobby/NEWS',
    'app-1/lobby/other',
    'app-1/other/news',
    'other/lobby/news',
    '../app-1/lobby/news',
    'x'.repeat(10_000),
  ];

  it('[WS-TOPIC-2] [WS-VER-2] that is malformed, or of what does not exist, is an unknown topic', async () => {
    const client = await world.join();
    for (const topic of [...unknown, `${world.projectId}/app-1/_/lobby/news`]) {
      const reply = await client.ask({ type: 'subscribe', topic });
      expect(reply).to.have.all.keys('type', 'error', 'code', 'topic', 'hint');
      expect(reply).to.include({ type: 'error', error: 'unknown_topic', code: 42940, topic });
      expect(await client.ask({ type: 'publish', topic, data: 1, msgRef: 'r' })).to.deep.equal({
        ...(reply as object),
        msgRef: 'r',
      });
    }
  });

  it('[WS-TOPIC-3] in protocol 1 it is not_authorized', async () => {
    const { token } = await world.actor();
    const client = await (await world.connect()).authenticate(token, 1);
    const expected = { type: 'error', error: 'not_authorized', topic: 'other/lobby/news' };
    expect(await client.ask({ type: 'subscribe', topic: 'other/lobby/news' })).to.deep.equal(expected);
    const publish = { type: 'publish', topic: 'other/lobby/news', data: 1, msgRef: 'r' };
    expect(await client.ask(publish)).to.deep.equal(expected);
  });

  it('[WS-TOPIC-2] of what the actor may not use is answered as if it did not exist', async () => {
    const app = await world.app('guarded');
    await world.room(app, 'disabled', { status: 'disabled' });
    await world.room(app, 'bare', { topics: ['other'] });
    await world.room(app, 'calls', { topics: ['webrtc:offer'] });
    await world.room(await world.app('off', { status: 'disabled' }), 'lobby');
    await world.room(await world.app('suspended', { status: 'suspended' }), 'lobby');
    await world.room(await world.app('closed', { config: { accessMode: 'private' } }), 'lobby');
    const client = await world.join();
    const missing = await client.ask({ type: 'subscribe', topic: 'no/such/room' });
    for (const address of [
      'guarded/disabled',
      'guarded/bare',
      'off/lobby',
      'suspended/lobby',
      'closed/lobby',
    ]) {
      const topic = `${address}/news`;
      expect(await client.ask({ type: 'subscribe', topic })).to.deep.equal({ ...(missing as object), topic });
    }
    await client.subscribe('guarded/calls/webrtc:offer');
  });

  it('[WS-TOPIC-2] an observer may read and not write', async () => {
    const observer = await world.join({ actorType: 'observer' });
    await observer.subscribe('app-1/lobby/news');
    observer.publish('app-1/lobby/news', 1, { msgRef: 'r' });
    expect(await observer.next()).to.include({ error: 'unknown_topic', msgRef: 'r' });
  });

  it('[WS-TOPIC-2] of a room that was just created is known', async () => {
    const client = await world.join();
    expect(await client.ask({ type: 'subscribe', topic: 'fresh/lobby/news' })).to.include({
      error: 'unknown_topic',
    });
    await client.subscribe(await world.newsroom('fresh'));
    expect(await client.ask({ type: 'subscribe', topic: 'fresh/second/news' })).to.include({
      error: 'unknown_topic',
    });
    const app = await world.find('apps', { slug: 'fresh' });
    if (app) await world.room(app, 'second');
    await client.subscribe('fresh/second/news');
  });

  it('[WS-TOPIC-1] means the same room only within a project', async () => {
    const theirs = await world.project();
    await world.room(await world.app('app-1', {}, theirs), 'lobby');
    const topic = 'app-1/lobby/news';
    const { token } = await world.actor({}, theirs);
    const stranger = await (await world.joinAs(token)).subscribe(topic);
    const reader = await (await world.join()).subscribe(topic);
    const writer = await world.join();
    writer.publish(topic, 'ours');
    expect(await reader.next()).to.include({ data: 'ours' });
    (await world.joinAs((await world.actor({}, theirs)).token)).publish(topic, 'theirs');
    expect(await stranger.next()).to.include({ data: 'theirs' });
  });
});

describe('setFilters', () => {
  let world: World;
  let topic: string;
  let reader: FrameClient;
  let writer: FrameClient;

  beforeEach(async () => {
    world = await World.open();
    topic = await world.newsroom();
    reader = await (await world.join()).subscribe(topic, { filters: ['eu'] });
    writer = await world.join();
  });

  afterEach(() => world.close());

  const setFilters = (filters: unknown) => reader.ask({ type: 'setFilters', topic, filters });

  it('[WS-FILTER-5] replaces the whole set', async () => {
    const filters = ['us', ['asia', 'urgent']];
    expect(await setFilters(filters)).to.deep.equal({ type: 'filtersUpdated', topic, filters });
    writer.publish(topic, 'former', { filter: 'eu' }).publish(topic, 'half', { filter: 'asia' });
    writer.publish(topic, 'group', { filters: ['asia', 'urgent'] }).publish(topic, 'plain', { filter: 'us' });
    expect(await reader.next()).to.include({ data: 'group' });
    expect(await reader.next()).to.include({ data: 'plain' });
  });

  it('[WS-FILTER-5] with none every message is delivered, also without filters', async () => {
    expect(await setFilters([])).to.deep.equal({ type: 'filtersUpdated', topic, filters: [] });
    writer.publish(topic, 'any').publish(topic, 'filtered', { filter: 'us' });
    expect(await reader.next()).to.include({ data: 'any' });
    expect(await reader.next()).to.include({ data: 'filtered' });
    await setFilters(['eu']);
    writer.publish(topic, 'none').publish(topic, 'marker', { filter: 'eu' });
    expect(await reader.next()).to.include({ data: 'marker' });
  });

  it('[WS-FILTER-5] on a topic that is not subscribed is not_subscribed', async () => {
    const chat = 'app-1/lobby/chat';
    expect(await reader.ask({ type: 'setFilters', topic: chat, filters: ['x'] })).to.deep.equal({
      type: 'error',
      error: 'not_subscribed',
      topic: chat,
    });
    await reader.ask({ type: 'unsubscribe', topic });
    expect(await setFilters(['x'])).to.include({ error: 'not_subscribed', topic });
  });

  it('[WS-FILTER-5] that is refused leaves the set unchanged', async () => {
    const refused: [unknown, string][] = [
      [['a/b'], 'invalid_filter_chars (/, #, +, | not allowed)'],
      [[['one']], 'invalid_filter_chars (/, #, +, | not allowed)'],
      [Array<string>(101).fill('x'), 'too_many_filters (max 100)'],
    ];
    for (const [filters, error] of refused) {
      expect(await setFilters(filters)).to.deep.equal({ type: 'error', error, topic });
    }
    expect(await setFilters(undefined)).to.include({ error: 'invalid_frame', topic });
    writer.publish(topic, 'other', { filter: 'x' }).publish(topic, 'as before', { filter: 'eu' });
    expect(await reader.next()).to.include({ data: 'as before' });
  });

  it('[WS-FILTER-3] a message that several filters match is delivered once', async () => {
    await setFilters(['eu', 'us', ['eu', 'us'], ['us', 'eu', 'urgent']]);
    writer.publish(topic, 1, { filter: 'eu', filters: ['us', 'urgent', 'us'] });
    writer.publish(topic, 2, { filter: 'us' });
    expect(await reader.next()).to.include({ data: 1 });
    expect(await reader.next()).to.include({ data: 2 });
  });

  it('[WS-SUB-2] options that are switched between messages lose none and duplicate none', async () => {
    const count = 40;
    for (let n = 0; n < count; n++) {
      writer.publish(topic, n, { filters: ['eu', 'us'] });
      const sets = [['us'], [], ['eu'], [['eu', 'us']]];
      const filters = sets[n % sets.length];
      reader.send(
        n % 3 === 0
          ? { type: 'setFilters', topic, filters }
          : { type: 'subscribe', topic, filters, qos: n % 3 },
      );
    }
    const data: unknown[] = [];
    for (let frames = 0; frames < 2 * count; frames++) {
      const frame = await reader.next();
      if (frame !== 'heartbeat' && frame['type'] === 'message') data.push(frame['data']);
    }
    expect(data).to.deep.equal(Array.from({ length: count }, (_, n) => n));
  });
});
