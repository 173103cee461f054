import { once } from 'node:events';
import { request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { StalledClient } from '@roomwire/testing/clients/stalledClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { World } from '../../support/world.js';

const upgrade = async (url: string): Promise<number | undefined> => {
  const { hostname, port, pathname } = new URL(url);
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const asked = request({ hostname, port, path: pathname, headers }).end();
  const [response] = (await Promise.race([once(asked, 'response'), once(asked, 'upgrade')])) as [
    { statusCode?: number },
  ];
  asked.destroy();
  return response.statusCode;
};

describe('a connection', () => {
  let world: World | undefined;

  const open = async (...options: Parameters<typeof World.open>) => (world = await World.open(...options));

  afterEach(async () => {
    await world?.close();
    world = undefined;
  });

  it('[WS-CONN-1] is opened at /ws and nowhere else', async () => {
    const { gateway, ...here } = { gateway: (await open()).gateway, url: world?.url() ?? '' };
    expect(await upgrade(here.url)).to.equal(101);
    expect(await upgrade(`${here.url}?any=thing`)).to.equal(101);
    expect(await upgrade(here.url.replace('/ws', '/'))).to.equal(404);
    expect(await upgrade(here.url.replace('/ws', '/ws/more'))).to.equal(404);
    await gateway.close();
    expect(await upgrade(here.url)).to.equal(503);
  });

  it('[WS-CONN-1] is counted while it is open', async () => {
    const { gateway } = await open();
    const clients = [await world?.connect(), await world?.connect()] as FrameClient[];
    expect(gateway.connections).to.equal(2);
    for (const client of clients) await client.close();
    while (gateway.connections > 0) await new Promise(setImmediate);
    expect(gateway.metrics).to.include({ connectionsOpened: 2, connectionsClosed: 2 });
  });

  describe('that is silent', () => {
    it('[WS-CONN-5] is closed with 4000, authenticated or not; any frame and any ping keeps it', async () => {
      const { join, connect } = bound(await open({ idleTimeoutMs: 240 }));
      const beating = await join();
      const pinging = await connect();
      const signs = setInterval(() => {
        beating.sendBytes(new Uint8Array());
        pinging.webSocket.ping();
      }, 40);
      const start = performance.now();
      const silent = await Promise.all([join(), connect()]);
      for (const client of silent) {
        expect(await client.closed).to.deep.equal({ code: 4000, reason: 'idle_timeout' });
      }
      expect(performance.now() - start).to.be.within(235, 5_000);
      await (
        await connect()
      ).closed;
      clearInterval(signs);
      expect(await pinging.ask({ type: 'any' })).to.include({ error: 'not_authenticated' });
      expect(beating.webSocket.readyState).to.equal(1);
    });

    it('[WS-CONN-5] is closed with 4000 also while one of its frames waits until it reads', async () => {
      const world = await open({ idleTimeoutMs: 240 });
      await world.startGateway();
      const { gateway } = world;
      const app = await world.app('app-1', { topicConfigs: { news: { history: {} } } });
      const topic = `app-1/${(await world.room(app, 'lobby')).slug}/news`;
      const writer = await world.join({}, 1);
      const data = 'x'.repeat(800_000);
      for (const msgRef of '12345')
        expect(await writer.publish(topic, data, { msgRef }).next()).to.include({ msgRef });
      const { token } = await world.actor();
      const stalled = await StalledClient.connect(world.url());
      await stalled.ask({ type: 'auth', token });
      stalled.stall();
      // Together far more than the network holds: one of them waits for the client.
      for (let n = 0; n < 20; n++) stalled.send({ type: 'subscribe', topic, from: { last: 5 } });
      await eventually(() => gateway.metrics.closes['4000 idle_timeout'] === 1, { what: 'the close' });
      stalled.socket.destroy();
    });
  });

  describe('that does not read', () => {
    it('[WS-CONN-6] is closed with 1013, and slows no other connection', async () => {
      const { join, newsroom, gateway, url, actor } = bound(
        await open({ publishRate: 0, outboxBytes: 4_000_000 }),
      );
      const topic = await newsroom();
      const stalled = await StalledClient.connect(url());
      await stalled.ask({ type: 'auth', token: (await actor()).token });
      await stalled.ask({ type: 'subscribe', topic });
      const reader = await (await join()).subscribe(topic);
      const writer = await join();
      stalled.stall();
      const data = 'x'.repeat(500_000);
      let sent = 0;
      while (gateway.metrics.slowConsumers === 0) {
        writer.publish(topic, data);
        expect(await reader.next()).to.include({ data });
        expect(++sent).to.be.below(100);
      }
      writer.publish(topic, 'marker');
      expect(await reader.next()).to.include({ data: 'marker' });
      const received = await stalled.drain();
      expect(received.includes('marker')).to.equal(false);
      while (gateway.connections > 2) await new Promise(setImmediate);
      expect(gateway.metrics).to.deep.include({ slowConsumers: 1, closes: { '1013 slow_consumer': 1 } });
    });

    it('[WS-CONN-6] receives the reason when it reads on in time', async () => {
      const { join, newsroom, gateway, url, actor } = bound(
        await open({ publishRate: 0, outboxBytes: 2_000_000, closeGraceMs: 5_000 }),
      );
      const topic = await newsroom();
      const stalled = await StalledClient.connect(url());
      await stalled.ask({ type: 'auth', token: (await actor()).token });
      await stalled.ask({ type: 'subscribe', topic });
      stalled.stall();
      const writer = await join();
      for (let msgRef = 0; gateway.metrics.slowConsumers === 0; msgRef++) {
        await writer.publish(topic, 'x'.repeat(500_000), { msgRef: `${msgRef}` }).next();
      }
      stalled.socket.resume();
      while (!stalled.received.includes('slow_consumer')) await once(stalled.socket, 'data');
      expect(stalled.received.subarray(-17).toString('latin1')).to.equal('\x88\x0f\x03\xf5slow_consumer');
      stalled.socket.destroy();
    });
  });

  describe('when the gateway closes', () => {
    it('[WS-CONN-7] receives what was in flight, and 1012', async () => {
      const { join, connect, newsroom, gateway } = bound(await open());
      const topic = await newsroom();
      const readers = [await (await join()).subscribe(topic), await (await join()).subscribe(topic)];
      const writer = await join();
      const idle = await connect();
      const published = await writer.publish(topic, 'last', { msgRef: 'r' }).next();
      expect(published).to.include({ type: 'published' });
      expect(await readers[0]?.next()).to.include({ data: 'last' });
      const closing = gateway.close();
      expect(await readers[1]?.next()).to.include({ data: 'last' });
      for (const client of [...readers, writer, idle]) {
        expect(await client.closed).to.deep.equal({ code: 1012, reason: 'service_restart' });
      }
      await closing;
      await gateway.close();
      expect(gateway.connections).to.equal(0);
    });

    it('[WS-CONN-7] does not delay the close when it never answers', async () => {
      const { url, gateway } = bound(await open({ closeGraceMs: 50 }));
      const stalled = await StalledClient.connect(url());
      stalled.stall();
      await gateway.close();
      expect(gateway.connections).to.equal(0);
      await stalled.drain();
    });
  });
});

/** A world's methods, to be taken apart. */
const bound = (world: World) => ({
  join: () => world.join(),
  connect: () => world.connect(),
  newsroom: () => world.newsroom(),
  actor: () => world.actor(),
  url: () => world.url(),
  gateway: world.gateway,
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** On engines each of them takes several times as long. */
const visitors = isOnEngines() ? 500 : 1_500;
const atOnce = 25;
/** What is kept once, for whoever comes first, is no leak: that grows with every round. */
const mostRounds = 4;
/** In a row, of one client. */
const mostRefusals = 10;
/** A connection holds eight times as much. */
const leakedBytes = 1_000;

describe(`${visitors} clients that connect and close`, () => {
  let world: World;
  let topic: string;
  let tokens: readonly string[];

  beforeEach(async () => {
    world = await World.open();
    topic = await world.newsroom();
    const actors = await Promise.all(
      Array.from({ length: atOnce }, () => world.actor({ actorType: 'agent' })),
    );
    tokens = actors.map(({ token }) => token);
  });

  afterEach(() => world.close());

  /** On busy engines a read for it may take too long; a client then connects again. */
  const connected = async (token: string): Promise<FrameClient> => {
    for (let refusals = 0; ; refusals += 1) {
      const client = await FrameClient.connect(world.url());
      const reply = await client.ask({ type: 'auth', token, protocolVersion: 2 });
      if (reply !== 'heartbeat' && reply['success'] === true) return client;
      client.webSocket.terminate();
      expect(reply).to.include({ error: 'connection_failed' });
      expect(refusals).to.be.below(mostRefusals);
    }
  };

  /** Each creates state in the gateway that lasts as long as its connection. */
  const visit = async (token: string, isPolite: boolean): Promise<void> => {
    const client = await connected(token);
    await client.subscribe(topic, { filters: ['eu'] });
    await client.subscribe(topic, { loadBalance: true });
    client.send({ type: 'presence', roomId: 'lobby', data: {} });
    await client.ask({ type: 'lobbySubscribe', lobbyId: 'app-1' });
    if (isPolite) await client.close();
    else client.webSocket.terminate();
  };

  const visits = async (many: number): Promise<number> => {
    for (let done = 0; done < many; done += atOnce)
      await Promise.all(tokens.map((token, index) => visit(token, index % 2 === 0)));
    await eventually(() => world.gateway.connections === 0, { withinMs: 20_000 });
    let held = Number.POSITIVE_INFINITY;
    // What is on its way out takes a few turns.
    await eventually(
      () => {
        collectGarbage();
        const before = held;
        held = process.memoryUsage().heapUsed;
        return before - held < 10_000;
      },
      { withinMs: 20_000 },
    );
    return held;
  };

  it('leave no state', async () => {
    let before = await visits(visitors);
    let leaked = Number.POSITIVE_INFINITY;
    for (let round = 0; round < mostRounds && leaked >= leakedBytes; round += 1) {
      const after = await visits(visitors);
      leaked = (after - before) / visitors;
      before = after;
    }
    expect(leaked).to.be.below(leakedBytes);
  }).timeout(120_000);
});

describe('the heartbeat', () => {
  let world: World;

  before(async () => void (world = await World.open()));
  after(() => world.close());

  it('[WS-BEAT-1] is echoed: an empty binary frame', async () => {
    const client = await world.join();
    client.sendBytes(new Uint8Array()).sendBytes(new Uint8Array());
    expect(await client.next()).to.equal('heartbeat');
    expect(await client.next()).to.equal('heartbeat');
  });

  it('[WS-BEAT-2] is binary: an empty text frame is malformed', async () => {
    const client = await world.join();
    client.sendText('');
    expect(await client.next()).to.deep.equal({ type: 'error', error: 'invalid_frame' });
  });

  it('[WS-CONN-8] a ping is answered with a pong', async () => {
    const client = await world.connect();
    const pong = new Promise<string>((resolve) =>
      client.webSocket.once('pong', (data) => resolve(data.toString())),
    );
    client.webSocket.ping('are you there');
    expect(await pong).to.equal('are you there');
  });
});
