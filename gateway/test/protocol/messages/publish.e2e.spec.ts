import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { overlaid } from '../../support/overlaid.js';
import { World } from '../../support/world.js';

describe('publish', () => {
  let world: World;
  let topic: string;

  before(async () => {
    world = await World.open({ publishRate: 0 });
    topic = await world.newsroom();
  });

  after(() => world.close());

  it('[WS-PUB-1] delivers to every subscriber, topic and data', async () => {
    const readers = await Promise.all([0, 1, 2].map(async () => (await world.join()).subscribe(topic)));
    (await world.join()).publish(topic, { hello: 'world' });
    for (const reader of readers) {
      expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: { hello: 'world' } });
    }
  });

  it('[WS-PUB-1] [WS-CONN-2] delivers what was sent in JSON, also to clients that use JSON', async () => {
    const { token } = await world.actor();
    const reader = await world.connect();
    reader.sendJson({ type: 'auth', token });
    await reader.next();
    reader.sendJson({ type: 'subscribe', topic });
    await reader.next();
    (await world.join()).sendJson({ type: 'publish', topic, data: { list: [1, 'zwei', null, 2.5] } });
    expect(await reader.next()).to.deep.equal({
      type: 'message',
      topic,
      data: { list: [1, 'zwei', null, 2.5] },
    });
  });

  it('[WS-CONN-2] delivers what was sent in fragments', async () => {
    const reader = await (await world.join()).subscribe(topic);
    const { webSocket } = await world.join();
    const bytes = encode({ type: 'publish', topic, data: 'in pieces' });
    for (let at = 0; at < bytes.length; at++) {
      webSocket.send(bytes.subarray(at, at + 1), { binary: true, fin: at === bytes.length - 1 });
    }
    expect(await reader.next()).to.include({ data: 'in pieces' });
  });

  it('[WS-ENC-3] delivers every MessagePack value unchanged', async () => {
    const reader = await (await world.join()).subscribe(topic);
    const writer = await world.join();
    const values = [
      null,
      false,
      '',
      'ü😀',
      NaN,
      -Infinity,
      Uint8Array.of(0, 255),
      new Date(1_234),
      [[[]]],
      { 1: {} },
    ];
    for (const value of values) {
      writer.publish(topic, value);
      expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: value });
    }
    const huge = Buffer.from('cfffffffffffffffff', 'hex');
    const frame = Buffer.from(encode({ type: 'publish', topic, data: 0 }));
    writer.sendBytes(Buffer.concat([frame.subarray(0, -1), huge]));
    const raw = new Promise<Buffer>((resolve) => reader.webSocket.once('message', resolve));
    expect((await raw).subarray(-9).equals(huge)).to.equal(true);
  });

  it('[WS-PUB-2] does not echo, on any connection of the same actor', async () => {
    const { token } = await world.actor();
    const writer = await (await world.joinAs(token)).subscribe(topic);
    const sibling = await (await world.joinAs(token)).subscribe(topic);
    const other = await world.join();
    writer.publish(topic, 'own', { echo: true, msgRef: 'r' });
    expect(await writer.next()).to.include({ type: 'published' });
    other.publish(topic, 'marker');
    for (const client of [writer, sibling]) expect(await client.next()).to.include({ data: 'marker' });
  });

  it('[WS-PUB-3] keeps the order of a publisher, the same at every subscriber', async () => {
    const readers = await Promise.all([0, 1].map(async () => (await world.join()).subscribe(topic)));
    const writers = await Promise.all([0, 1, 2].map(() => world.join()));
    const count = 300;
    for (let number = 0; number < count; number++) {
      writers.forEach((writer, at) => writer.publish(topic, [at, number], { qos: number % 3 }));
    }
    const histories: unknown[][] = [];
    for (const reader of readers) {
      const history: [number, number][] = [];
      for (let message = 0; message < 3 * count; message++) {
        history.push(((await reader.next()) as { data: [number, number] }).data);
      }
      writers.forEach((_, at) => {
        const numbers = history.filter(([writer]) => writer === at).map(([, number]) => number);
        expect(numbers).to.deep.equal(Array.from({ length: count }, (_unused, number) => number));
      });
      histories.push(history);
    }
    expect(histories[0]).to.deep.equal(histories[1]);
  });

  describe('with a msgRef', () => {
    for (const qos of [0, 1, 2, 'x']) {
      it(`[WS-PUB-4] and qos ${qos} is answered published`, async () => {
        const writer = await world.join();
        expect(await writer.ask({ type: 'publish', topic, data: 1, qos, msgRef: 'r' })).to.deep.equal({
          type: 'published',
          topic,
          msgRef: 'r',
        });
      });
    }

    it('[WS-PUB-4] is not answered in protocol 1', async () => {
      const { token } = await world.actor();
      const writer = await (await world.connect()).authenticate(token, 1);
      writer.publish(topic, 1, { msgRef: 'r' }).sendBytes(new Uint8Array());
      expect(await writer.next()).to.equal('heartbeat');
      writer.publish(topic, 1, { msgRef: 'r' });
      expect(await writer.ask({ type: 'unsubscribe', topic })).to.include({ type: 'unsubscribed' });
    });

    it('[WS-PUB-4] is not answered when it has none', async () => {
      const writer = await world.join();
      writer.publish(topic, 1).publish(topic, 2, { msgRef: 'marker' });
      expect(await writer.next()).to.include({ msgRef: 'marker' });
    });

    it('[WS-ENC-5] is answered with it also when the frame is malformed', async () => {
      const writer = await world.join();
      expect(await writer.ask({ type: 'publish', topic, msgRef: 'r' })).to.deep.equal({
        type: 'error',
        error: 'invalid_frame',
        topic,
        msgRef: 'r',
      });
    });
  });

  it('[WS-ENC-5] is answered with its msgRef when the data after it is malformed', async () => {
    const writer = await world.join();
    const frame = { type: 'publish', topic, msgRef: 'r', data: JSON.parse('{"__proto__":1}') as unknown };
    expect(await writer.ask(frame)).to.deep.equal({
      type: 'error',
      error: 'invalid_frame',
      topic,
      msgRef: 'r',
    });
  });

  describe('of a size', () => {
    const text = (bytes: number) => 'x'.repeat(bytes - 5);

    it('[WS-PUB-5] of 921,600 bytes as MessagePack passes', async () => {
      const reader = await (await world.join()).subscribe(topic);
      const writer = await world.join();
      writer.publish(topic, text(921_600));
      expect(await reader.next())
        .to.have.property('data')
        .of.length(921_595);
    });

    for (const encoding of ['send', 'sendJson'] as const) {
      it(`[WS-PUB-5] of one byte more is too large (${encoding})`, async () => {
        const writer = await world.join();
        writer[encoding]({ type: 'publish', topic, data: text(921_601), msgRef: 'r' });
        expect(await writer.next()).to.deep.equal({
          type: 'error',
          error: 'message_too_large',
          code: 42930,
          topic,
          msgRef: 'r',
          maxSizeBytes: 921_600,
        });
        expect(await writer.ask({ type: 'publish', topic, data: 1, msgRef: 's' })).to.include({
          type: 'published',
        });
      });
    }

    it('[WS-CONN-4] in a frame of 1,048,576 bytes is read, and one byte more closes with 1009', async () => {
      const frame = (bytes: number) => encode({ type: 'publish', topic, data: 'x'.repeat(bytes) });
      const surplus = frame(1_000_000).length - 1_000_000;
      const writer = await world.join();
      writer.sendBytes(frame(1_048_576 - surplus));
      expect(await writer.next()).to.include({ error: 'message_too_large' });
      writer.sendBytes(frame(1_048_577 - surplus));
      expect(await writer.closed).to.include({ code: 1009 });
    });
  });

  it('[WS-PUB-7] that the bus refuses is answered broker_unavailable, and never published', async () => {
    let isAway = true;
    const { logger, lines } = createRecordingLogger();
    const lost = await World.open({
      logger,
      bus: (real) =>
        overlaid(real, {
          send: (channel, record, acknowledgement) =>
            isAway ? Promise.reject(new Error('away')) : real.send(channel, record, acknowledgement),
        }),
    });
    const lostTopic = await lost.newsroom();
    const writer = await lost.join();
    const refusal = { type: 'error', error: 'broker_unavailable', topic: lostTopic };
    expect(await writer.publish(lostTopic, 1, { msgRef: 'r' }).next()).to.deep.equal({
      ...refusal,
      msgRef: 'r',
    });
    expect(await writer.publish(lostTopic, 1).next()).to.deep.equal(refusal);
    // Once a minute, however many there are.
    expect(lines.filter(({ message }) => message === 'A publish did not reach the bus')).to.have.length(1);
    isAway = false;
    expect(await writer.publish(lostTopic, 1, { msgRef: 's' }).next()).to.include({
      type: 'published',
      msgRef: 's',
    });
    await lost.close();
  });

  it('[WS-PUB-8] waits for the bus when a thousand publishes do, and loses none', async () => {
    const owed: ((offset: number) => void)[] = [];
    const slow = await World.open({
      publishRate: 0,
      bus: (real) =>
        overlaid(real, {
          send: (channel, record, acknowledgement) =>
            channel.name === 'messages'
              ? new Promise<number>((resolve) => owed.push(resolve))
              : real.send(channel, record, acknowledgement),
        }),
    });
    const slowTopic = await slow.newsroom();
    const writer = await slow.join();
    for (let number = 0; number < 1_500; number++) writer.publish(slowTopic, number, { msgRef: `${number}` });
    while (owed.length < 1_001) await new Promise(setImmediate);
    for (let answered = 0; answered < 1_500; answered++) {
      while (owed.length === 0) await new Promise(setImmediate);
      owed.shift()?.(0);
      expect(await writer.next()).to.include({ type: 'published', msgRef: `${answered}` });
      if (answered === 0) expect(owed.length).to.be.below(1_010);
    }
    await slow.close();
  });
});

describe('the publish rate', () => {
  let world: World;
  let clock: ManualClock;
  let topic: string;

  beforeEach(async () => {
    clock = new ManualClock();
    world = await World.open({ clock, publishRate: 3 });
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  it('[WS-PUB-6] refuses what exceeds the rate in any second, and does not deliver it', async () => {
    const writer = await world.join();
    const reader = await (await world.join()).subscribe(topic);
    for (const number of [1, 2, 3]) writer.publish(topic, number);
    expect(await writer.publish(topic, 4, { msgRef: 'r' }).next()).to.deep.equal({
      type: 'error',
      error: 'rate_limit_exceeded',
      code: 42910,
      topic,
      msgRef: 'r',
    });
    clock.pass(999);
    expect(await writer.publish(topic, 5).next()).to.include({ error: 'rate_limit_exceeded' });
    clock.pass(1);
    writer.publish(topic, 6);
    for (const data of [1, 2, 3, 6]) expect(await reader.next()).to.include({ data });
  });

  it('[WS-PUB-6] applies to a connection, and counts accepted publishes only', async () => {
    const { token } = await world.actor();
    const [writer, sibling] = [await world.joinAs(token), await world.joinAs(token)];
    for (let count = 0; count < 5; count++) {
      expect(await writer.publish('no/such/room', 1).next()).to.include({ error: 'unknown_topic' });
    }
    for (const client of [writer, sibling]) {
      for (const msgRef of ['1', '2', '3']) {
        expect(await client.publish(topic, 1, { msgRef }).next()).to.include({ type: 'published', msgRef });
      }
      expect(await client.publish(topic, 1).next()).to.include({ error: 'rate_limit_exceeded' });
    }
  });

  it('[WS-PUB-6] ignores publishes for a second after four times as many refusals', async () => {
    const writer = await world.join();
    for (let count = 0; count < 12; count++) {
      expect(await writer.publish('no/such/room', 1).next()).to.include({ error: 'unknown_topic' });
    }
    for (const address of ['no/such/room', topic]) {
      expect(await writer.publish(address, 1).next()).to.include({ error: 'rate_limit_exceeded' });
    }
    clock.pass(1_000);
    expect(await writer.publish(topic, 1, { msgRef: 'r' }).next()).to.include({ type: 'published' });
  });

  it('[WS-PUB-6] is independent of the wall clock', async () => {
    const writer = await world.join();
    for (const msgRef of ['1', '2', '3']) await writer.publish(topic, 1, { msgRef }).next();
    clock.set(clock.now() + 3_600_000);
    expect(await writer.publish(topic, 1).next()).to.include({ error: 'rate_limit_exceeded' });
    clock.set(clock.now() + -7_200_000);
    clock.pass(1_000);
    expect(await writer.publish(topic, 1, { msgRef: 'r' }).next()).to.include({ type: 'published' });
  });
});

describe('filters', () => {
  let world: World;
  let topic: string;

  before(async () => {
    world = await World.open();
    topic = await world.newsroom();
  });

  after(() => world.close());

  it('[WS-FILTER-3] route a message to the subscribers whose filters match', async () => {
    const everything = await (await world.join()).subscribe(topic, { filters: [] });
    const eu = await (await world.join()).subscribe(topic, { filters: ['eu'] });
    const both = await (await world.join()).subscribe(topic, { filters: [['eu', 'urgent']] });
    const writer = await world.join();
    writer.publish(topic, 'plain').publish(topic, 'for eu', { filter: 'eu' });
    writer.publish(topic, 'for both', { filters: ['urgent', 'eu'] });
    writer.publish(topic, 'in two fields', { filter: 'urgent', filters: ['eu'] });
    for (const data of ['plain', 'for eu', 'for both', 'in two fields']) {
      expect(await everything.next()).to.include({ data });
    }
    for (const data of ['for eu', 'for both', 'in two fields']) expect(await eu.next()).to.include({ data });
    for (const data of ['for both', 'in two fields']) expect(await both.next()).to.include({ data });
  });

  it('[WS-FILTER-4] a message names the filter of its publish', async () => {
    const reader = await (await world.join()).subscribe(topic);
    (await world.join())
      .publish(topic, 1, { filter: 'eu', filters: ['us'] })
      .publish(topic, 2, { filters: ['us'] });
    expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: 1, filter: 'eu' });
    expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: 2 });
  });

  const invalid = { type: 'error', error: 'invalid_filter_chars (/, #, +, | not allowed)' };
  const tooMany = { type: 'error', error: 'too_many_filters (max 100)' };

  it('[WS-FILTER-1] that are not allowed refuse the subscribe, and the old ones stay', async () => {
    const reader = await (await world.join()).subscribe(topic, { filters: ['eu'] });
    const subscribe = { type: 'subscribe', topic };
    expect(await reader.ask({ ...subscribe, filters: ['a/b'] })).to.deep.equal({ ...invalid, topic });
    expect(await reader.ask({ ...subscribe, filters: [['one']] })).to.deep.equal({ ...invalid, topic });
    expect(await reader.ask({ ...subscribe, filters: Array(101).fill('x') })).to.deep.equal({
      ...tooMany,
      topic,
    });
    (await world.join()).publish(topic, 'unheard').publish(topic, 'marker', { filter: 'eu' });
    expect(await reader.next()).to.include({ data: 'marker' });
  });

  it('[WS-FILTER-2] that are not allowed refuse the publish', async () => {
    const writer = await world.join();
    for (const filter of ['', 'a|b']) {
      expect(await writer.publish(topic, 1, { filter, msgRef: 'r' }).next()).to.deep.equal({
        ...invalid,
        topic,
        msgRef: 'r',
      });
    }
    expect(await writer.publish(topic, 1, { filters: Array(101).fill('x') }).next()).to.deep.equal({
      ...tooMany,
      topic,
    });
  });
});
