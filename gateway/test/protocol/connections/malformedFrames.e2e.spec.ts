import fc from 'fast-check';
import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { World } from '../../support/world.js';

const invalid = { type: 'error', error: 'invalid_frame' };
const tooMany = { code: 1008, reason: 'too_many_malformed_frames' };
const repeated = (times: number, hex: string) =>
  Buffer.concat(Array<Buffer>(times).fill(Buffer.from(hex, 'hex')));

describe('a malformed frame', () => {
  let world: World;
  let clock: ManualClock;
  let topic: string;

  beforeEach(async () => {
    clock = new ManualClock();
    world = await World.open({ clock });
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  it('[WS-ENC-5] is answered, and the connection stays', async () => {
    const client = await world.join();
    const frames = [
      Buffer.from('c1', 'hex'),
      Buffer.from('82a1', 'hex'),
      encode([1, 2]),
      encode('text'),
      encode({ topics: [] }),
      encode({ type: 7 }),
      encode({ type: 'subscribe' }),
    ];
    for (const frame of frames) expect(await client.sendBytes(frame).next()).to.deep.equal(invalid);
    expect(await client.sendText('{').next()).to.deep.equal(invalid);
    await client.subscribe(topic);
  });

  it('[WS-ENC-6] of an unknown type is answered unknown_type', async () => {
    const client = await world.join();
    for (const type of ['nonsense', 'acks', 'toString']) {
      expect(await client.ask({ type })).to.deep.equal({ type: 'error', error: 'unknown_type' });
    }
  });

  it('[WS-ENC-7] closes with 1008 when it is the twentieth in ten seconds', async () => {
    const client = await world.join();
    for (let count = 1; count < 20; count++) {
      expect(await client.ask({ type: 'nonsense' })).to.include({ error: 'unknown_type' });
      clock.pass(500);
    }
    expect(await client.ask({ type: 'nonsense' })).to.include({ error: 'unknown_type' });
    expect(await client.closed).to.deep.equal(tooMany);
  });

  it('[WS-ENC-7] does not close when they are sent more slowly', async () => {
    const client = await world.join();
    for (let count = 1; count < 60; count++) {
      await client.ask({ type: 'nonsense' });
      clock.pass(527);
    }
    await client.subscribe(topic);
  });

  it('[WS-ENC-7] is not counted before authentication, where every frame is refused alike', async () => {
    const client = await world.connect();
    for (let count = 0; count < 19; count++) {
      expect(await client.ask({ type: 'nonsense' })).to.include({ error: 'not_authenticated' });
    }
    await client.authenticate((await world.actor()).token);
    for (let count = 0; count < 19; count++) {
      expect(await client.ask({ type: 'nonsense' })).to.include({ error: 'unknown_type' });
    }
  });

  describe('that is hostile', () => {
    const frames: Record<string, Buffer> = {
      'an array of 30 million in five bytes': Buffer.from('dd01c9c380', 'hex'),
      '200 arrays of a million inside one another': repeated(200, 'dd000f4240'),
      '24,000 arrays of 65,535 inside one another': repeated(24_000, 'dcffff'),
      'a million levels': repeated(1_000_000, '91'),
      'a map of four billion': Buffer.from('dfffffffff', 'hex'),
      'a string of four gibibytes': Buffer.from('dbffffffff', 'hex'),
      'an extension': Buffer.from('81a474797065d40100', 'hex'),
      'a poisoned key': Buffer.from(encode(JSON.parse('{"type":"publish","data":{"__proto__":{"a":1}}}'))),
    };
    for (const [what, bytes] of Object.entries(frames)) {
      it(`[WS-ENC-1] is cheap to refuse: ${what}`, async () => {
        const memory = process.memoryUsage.rss();
        const client = await world.join();
        expect(await client.sendBytes(bytes).next()).to.deep.equal(invalid);
        const stranger = await world.connect();
        stranger.sendBytes(bytes);
        if (bytes.length > 20_480) expect(await stranger.closed).to.include({ code: 1009 });
        else expect(await stranger.next()).to.include({ error: 'not_authenticated' });
        expect(process.memoryUsage.rss() - memory).to.be.below(64_000_000);
      });
    }

    it('[WS-ENC-2] in JSON too', async () => {
      const client = await world.join();
      const poisoned = `{"type":"publish","topic":"${topic}","data":{"__proto__":{"a":1}}}`;
      const deep = `{"type":"publish","topic":"${topic}","data":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
      for (const json of [poisoned, deep, '['.repeat(1_000_000)]) {
        expect(await client.sendText(json).next()).to.deep.include(invalid);
      }
    });
  });

  it('with any content is answered or closes the connection, and affects no other', async () => {
    const reader = await (await world.join()).subscribe(topic);
    const writer = await world.join();
    const frames = [
      { type: 'publish', topic, data: { a: [1, 2, { b: 'c' }] }, msgRef: 'r', filters: ['x'] },
      { type: 'subscribe', topic, filters: ['eu', ['a', 'b']], qos: 2 },
      { type: 'unsubscribe', topic },
      { type: 'auth', token: 'at_live_1.2', protocolVersion: 2 },
      { type: 'reauth', token: 'eyJhbGciOiJIUzI1NiJ9.e30.x' },
      { type: 'setFilters', topic, filters: ['us'] },
      { type: 'ack', msgId: '0mz8v1c2d0001.abc' },
      { type: 'batchAck', msgIds: ['0mz8v1c2d0001.abc', ''] },
      { type: 'subscribe', topic, loadBalance: true, jobs: { prefetch: 5, ackSeconds: 5 } },
      { type: 'nack', msgId: '0mz8v1c2d0001.abc', delaySeconds: 5 },
      { type: 'progress', msgId: '0mz8v1c2d0001.abc' },
      { type: 'presence', roomId: 'app-1/lobby', data: { a: { b: [null, true, 1.5] } } },
      { type: 'presence', roomId: 'lobby', keep: true },
      { type: 'presence', roomId: 'lobby', mode: 'count' },
      { type: 'presence', roomId: 'lobby', leave: true },
      { type: 'getPresence', roomId: 'lobby' },
      { type: 'lobbySubscribe', lobbyId: 'app-1' },
      { type: 'getLobbyPresence', lobbyId: 'app-1' },
      { type: 'lobbyUnsubscribe', lobbyId: 'app-1' },
    ];
    const mutated = fc
      .tuple(
        fc.constantFrom(...frames),
        fc.boolean(),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
      )
      .map(([frame, isText, changes]) => {
        const bytes = isText ? Buffer.from(JSON.stringify(frame)) : Buffer.from(encode(frame));
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        return bytes;
      });
    const anyFrame = fc.oneof(
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
      mutated,
    );
    const property = fc.asyncProperty(
      fc.array(anyFrame, { maxLength: 30 }),
      fc.boolean(),
      async (sent, joins) => {
        const client = joins ? await world.join() : await world.connect();
        for (const bytes of sent) client.webSocket.send(bytes, { binary: bytes.length % 2 === 0 });
        client.webSocket.close();
        const { code } = await client.closed;
        expect(code).to.be.oneOf([1005, 1007, 1008]);
        const marker = `${clock.monotonic()}`;
        clock.pass(1_000);
        writer.publish(topic, { marker });
        for (;;) {
          const { data } = (await reader.next()) as { data: { marker?: string } };
          if (data?.marker === marker) break; // What comes before it are lucky publishes.
        }
      },
    );
    await fc.assert(property, { numRuns: 150, seed: 20_260_101 });
  });
});

const subscribed = { type: 'subscribed', loadBalance: false };

describe('the fields of a frame', () => {
  let world: World;
  let topic: string;

  beforeEach(async () => {
    world = await World.open();
    topic = await world.newsroom();
  });

  afterEach(() => world.close());

  it('[WS-ENC-4] are ignored when they are unknown, and limited to 64', async () => {
    const client = await world.join();
    const others = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
    expect(await client.ask({ type: 'subscribe', topic, ...others(62) })).to.include({ type: 'subscribed' });
    expect(await client.ask({ type: 'subscribe', topic, ...others(63) })).to.include({
      error: 'invalid_frame',
    });
  });

  it('[WS-ENC-4] are missing when they are null, except the data of a publish', async () => {
    const [reader, writer] = [await world.join(), await world.join()];
    const options = { filters: null, loadBalance: null, loadBalanceGroup: null, qos: null };
    expect(await reader.ask({ type: 'subscribe', topic, ...options })).to.deep.equal({
      ...subscribed,
      topic,
    });
    writer.publish(topic, null, { filter: null, filters: null, retain: null, qos: null });
    expect(await reader.next()).to.deep.equal({ type: 'message', topic, data: null });
    expect(await reader.ask({ type: 'subscribe', topic: null })).to.deep.equal({
      type: 'error',
      error: 'invalid_frame',
    });
  });

  it('[WS-ENC-4] have the value that was sent last', async () => {
    const client = await world.join();
    client.sendText(`{"type":"unsubscribe","topic":"a/b/c","type":"subscribe","topic":"${topic}"}`);
    expect(await client.next()).to.deep.equal({ ...subscribed, topic });
  });

  it('[WS-SUB-4] may contain a quality of service, which has no effect here', async () => {
    const writer = await world.join();
    for (const qos of [0, 1, 2, 3, -1, 1.5, 'x', true]) {
      const reader = await world.join();
      expect(await reader.ask({ type: 'subscribe', topic, qos }), String(qos)).to.deep.equal({
        ...subscribed,
        topic,
      });
      const data = `with ${qos}`;
      expect(await writer.ask({ type: 'publish', topic, data, qos, msgRef: 'r' })).to.deep.equal({
        ...{ type: 'published', topic },
        msgRef: 'r',
      });
      expect(await reader.next()).to.deep.equal({ type: 'message', topic, data });
      await reader.close();
    }
  });
});
