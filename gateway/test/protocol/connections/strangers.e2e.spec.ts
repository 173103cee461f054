import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { encode } from '@msgpack/msgpack';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually, settled } from '@roomwire/testing/run/eventually';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { overlaid } from '../../support/overlaid.js';
import { World, type WorldOptions } from '../../support/world.js';

describe('the sockets of strangers', () => {
  let world: World;
  let open: WebSocket[];

  const openWorld = async (options: WorldOptions) => (world = await World.open(options));

  beforeEach(() => (open = []));

  afterEach(async () => {
    for (const webSocket of open) webSocket.terminate();
    await world.close();
  });

  /** The HTTP status of a handshake that came through a proxy. */
  const handshake = async (forwardedFor?: string): Promise<number> => {
    const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
    const webSocket = new WebSocket(world.url(), { headers, perMessageDeflate: false });
    open.push(webSocket);
    webSocket.on('error', () => undefined);
    const [, response] = (await Promise.race([
      once(webSocket, 'open').then(() => []),
      once(webSocket, 'unexpected-response'),
    ])) as [unknown, IncomingMessage?];
    return response?.statusCode ?? 101;
  };

  const handshakes = async (times: number, forwardedFor?: string): Promise<number[]> => {
    const statuses = [];
    for (let count = 0; count < times; count++) statuses.push(await handshake(forwardedFor));
    return statuses;
  };

  it('[WS-CONN-11] are refused with 429 beyond the limit of an address, until one has authenticated or is closed', async () => {
    await openWorld({ unauthenticatedSocketsPerAddress: 3 });
    const client = await world.connect();
    expect(await handshakes(3)).to.deep.equal([101, 101, 429]);
    await client.authenticate((await world.actor()).token);
    expect(await handshakes(2)).to.deep.equal([101, 429]);
    open[0]?.terminate();
    await eventually(async () => (await handshake()) === 101);
    expect(await handshake()).to.equal(429);
    await client.close();
    expect(await handshake(), 'one that had authenticated').to.equal(429);
  });

  it('[WS-CONN-11] are refused with 503 beyond the limit of the gateway, whatever their address', async () => {
    await openWorld({ unauthenticatedSockets: 3, trustedProxies: 1 });
    expect(await handshakes(1, '192.0.2.1')).to.deep.equal([101]);
    expect(await handshakes(3, '192.0.2.2')).to.deep.equal([101, 101, 503]);
    expect(world.gateway.connections).to.equal(3);
  });

  it('[WS-CONN-11] are counted by the address that the outermost trusted proxy appended', async () => {
    await openWorld({ unauthenticatedSocketsPerAddress: 2, trustedProxies: 2 });
    expect(await handshakes(3, '192.0.2.1, 10.0.0.1')).to.deep.equal([101, 101, 429]);
    expect(await handshake('192.0.2.2, 10.0.0.1')).to.equal(101);
    expect(await handshake('192.0.2.2, 192.0.2.1, 10.0.0.1'), 'invented by the client').to.equal(429);
    expect(await handshake('2001:db8::1, 10.0.0.1')).to.equal(101);
    expect(await handshake('2001:db8::2, 10.0.0.1')).to.equal(101);
    expect(await handshake('2001:db8::3, 10.0.0.1'), 'the same network').to.equal(429);
    expect(await handshake('2001:db8:0:1::1, 10.0.0.1')).to.equal(101);
  });

  it('[WS-CONN-11] that are refused are counted, and logged with their address', async () => {
    const { logger, lines } = createRecordingLogger();
    const limits = new LimitReports({ clock: new ManualClock(), logger });
    await openWorld({ unauthenticatedSocketsPerAddress: 1, limits });
    expect(await handshakes(3)).to.deep.equal([101, 429, 429]);
    const metrics = await collectedMetrics(limits.collect);
    expect(metrics.get('roomwire_limit_reached_total unauthenticatedSocketsPerAddress')).to.equal(2);
    expect(lines).to.have.length(1);
    expect(lines[0]?.fields).to.deep.include({ address: '127.0.0.1' });
  });

  it('[WS-CONN-11] leave those that authenticated alone: they connect as many as they like', async () => {
    await openWorld({ unauthenticatedSocketsPerAddress: 1, unauthenticatedSockets: 1 });
    const { token } = await world.actor();
    const clients: FrameClient[] = [];
    for (let count = 0; count < 5; count++) clients.push(await world.joinAs(token));
    for (const client of clients)
      expect(await client.sendBytes(new Uint8Array()).next()).to.equal('heartbeat');
  });
});

const refused = { type: 'error', error: 'not_authenticated' };
const tooMany = { code: 1008, reason: 'too_many_frames_before_auth' };
const mostBytes = 20_480;

/** An `auth` with an unknown token waits for nothing but the read models; this makes them answer when a test says so. */
const createGate = () => {
  let open: () => void = () => undefined;
  let opened = Promise.resolve();
  return {
    close: () => void (opened = new Promise((resolve) => (open = resolve))),
    open: () => open(),
    views: (views: ViewStore): ViewStore =>
      overlaid(views, { find: (...args) => opened.then(() => views.find(...args)) }),
  };
};

describe('a connection before it is authenticated', () => {
  let world: World;
  let topic: string;
  let token: string;
  const gate = createGate();

  const reopen = async (options: WorldOptions = {}) => {
    await world.close();
    await setUp(options);
  };

  const setUp = async (options: WorldOptions = {}) => {
    world = await World.open({ views: (views) => gate.views(views), ...options });
    topic = await world.newsroom();
    token = (await world.actor()).token;
  };

  beforeEach(() => setUp());
  afterEach(async () => {
    gate.open();
    await world.close();
  });

  const auth = (credential = token) => ({ type: 'auth', token: credential, protocolVersion: 2 });
  const wrong = auth('at_live_1.2');
  const failed = { type: 'auth', success: false, error: 'access_denied' };
  const heartbeat = new Uint8Array();

  it('[WS-AUTH-15] is closed with 1008 with the twentieth frame that is no auth, whatever they are', async () => {
    const client = await world.connect();
    for (let count = 0; count < 4; count++) {
      expect(await client.ask({ type: 'subscribe', topic })).to.deep.equal(refused);
      expect(await client.sendBytes(heartbeat).next()).to.deep.equal(refused);
      expect(await client.sendJson({ type: 'publish', topic, data: 1 }).next()).to.deep.equal(refused);
      expect(await client.sendText('').next()).to.deep.equal(refused);
    }
    expect(await client.ask(wrong), 'counted on its own').to.deep.equal(failed);
    for (let count = 0; count < 4; count++)
      expect(await client.sendBytes(Uint8Array.of(0xc1)).next()).to.deep.equal(refused);
    expect(await client.closed).to.deep.equal(tooMany);
    expect(world.gateway.metrics.closes).to.deep.equal({ '1008 too_many_frames_before_auth': 1 });
    expect(world.gateway.metrics.protocolErrors).to.deep.equal({ not_authenticated: 20 });
  });

  it('[WS-AUTH-15] may send an auth in either encoding, with its type anywhere and of any length', async () => {
    const type32 = Buffer.from('db0000000461757468', 'hex');
    const sent: (Buffer | string)[] = [
      JSON.stringify(auth()),
      `{ "x": {"type": ["auth"]}, "protocolVersion":2, "token" : "${token}", "type"\n:\t"auth" }`,
      `{"type":"publish","token":"${token}","type":"auth"}`,
      Buffer.from(encode({ x: { type: [1] }, token, type: 'auth' })),
      Buffer.concat([Buffer.from([0x82]), encode('token'), encode(token), encode('type'), type32]),
      Buffer.concat([Buffer.from(encode(auth())), Buffer.alloc(0)]),
      JSON.stringify({ ...auth(), filler: 'x'.repeat(20_000) }),
    ];
    for (const frame of sent) {
      const client = await world.connect();
      if (typeof frame === 'string') client.sendText(frame);
      else client.sendBytes(frame);
      expect(await client.next(), frame.toString('latin1')).to.include({ type: 'auth', success: true });
    }
  });

  it('[WS-AUTH-15] is refused what only looks like an auth', async () => {
    const frames = [
      encode({ type: ['auth'] }),
      encode({ type: 'authentication' }),
      encode({ type: 'aut' }),
      encode({ type: 'auth', data: 1 }).subarray(0, -1),
      encode(['type', 'auth']),
      encode({ a: { type: 'auth' } }),
    ];
    const client = await world.connect();
    for (const frame of frames) expect(await client.sendBytes(frame).next()).to.deep.equal(refused);
    for (const text of [
      '{"type":"auth"',
      '["type","auth"]',
      '"auth"',
      '{"type":["auth"]}',
      '{"a":{"type":"auth"}}',
    ])
      expect(await client.sendText(text).next()).to.deep.equal(refused);
  });

  it('[WS-AUTH-15] is closed with 1009 by a frame over 20 KiB, whole or begun in fragments', async () => {
    const data = 'x'.repeat(mostBytes);
    for (const send of [
      (client: FrameClient) => client.send({ type: 'publish', topic, data }),
      (client: FrameClient) => client.send({ ...auth(), data }),
      (client: FrameClient) => client.sendText(`${data}x`),
      (client: FrameClient) => {
        for (let count = 0; count < 21; count++) client.webSocket.send(Buffer.alloc(1_024), { fin: false });
      },
    ]) {
      const client = await world.connect();
      send(client.sendBytes(Buffer.alloc(mostBytes)));
      expect(await client.next(), 'a frame of just 20 KiB').to.deep.equal(refused);
      expect(await client.closed).to.deep.equal({ code: 1009, reason: '' });
    }
    await eventually(() => world.gateway.connections === 0);
    expect(world.gateway.metrics.departures).to.deep.equal({ '1009': 4 });
  });

  it('[WS-AUTH-16] may send an auth, a subscribe and a large publish in one go', async () => {
    const data = 'x'.repeat(900_000);
    const reader = await (await world.join()).subscribe(topic);
    gate.close();
    const client = await world.connect();
    client.send(auth()).send({ type: 'subscribe', topic }).publish(topic, data, { msgRef: 'r' });
    const wires = client.webSocket;
    await eventually(() => wires.bufferedAmount === 0);
    gate.open();
    expect(await client.next()).to.include({ type: 'auth', success: true });
    expect(await client.next()).to.include({ type: 'subscribed' });
    expect(await client.next()).to.include({ type: 'published' });
    expect(await reader.next()).to.include({ data });
    expect(await client.publish(topic, data, { msgRef: 's' }).next()).to.include({ type: 'published' });
  });

  it('[WS-AUTH-16] may send it in fragments that began while the auth was being decided', async () => {
    gate.close();
    const client = await world.connect();
    client.send(auth());
    const frame = encode({ type: 'publish', topic, data: 'x'.repeat(500_000), msgRef: 'r' });
    client.webSocket.send(frame.subarray(0, 300_000), { fin: false });
    await eventually(() => client.webSocket.bufferedAmount === 0);
    gate.open();
    expect(await client.next()).to.include({ type: 'auth', success: true });
    client.webSocket.send(frame.subarray(300_000), { fin: true });
    expect(await client.next()).to.include({ type: 'published' });
  });

  it('[WS-AUTH-16] is judged as a stranger by what came behind an auth that failed', async () => {
    const small = { type: 'subscribe', topic };
    const large = { type: 'publish', topic, data: 'x'.repeat(100_000) };
    const client = await world.connect();
    client.send(wrong).send(small).send(auth()).send(small);
    expect(await client.next()).to.deep.equal(failed);
    expect(await client.next()).to.deep.equal(refused);
    expect(await client.next(), 'a second auth').to.include({ success: true });
    expect(await client.next()).to.include({ type: 'subscribed' });

    const other = await world.connect();
    other.send(wrong).send(small).send(large);
    expect(await other.next()).to.deep.equal(failed);
    expect(await other.next()).to.deep.equal(refused);
    expect(await other.closed).to.deep.equal({ code: 1009, reason: '' });

    const many = await world.connect();
    many.send(wrong);
    for (let count = 0; count < 20; count++) many.send(small);
    expect(await many.next()).to.deep.equal(failed);
    for (let count = 0; count < 20; count++) expect(await many.next()).to.deep.equal(refused);
    expect(await many.closed).to.deep.equal(tooMany);
  });

  it('[WS-AUTH-16] is closed by a large message that had begun behind an auth that failed', async () => {
    gate.close();
    const client = await world.connect();
    client.send(auth(`${token.slice(0, -4)}xxxx`));
    client.webSocket.send(Buffer.alloc(100_000), { fin: false });
    await eventually(() => client.webSocket.bufferedAmount === 0);
    client.webSocket.ping();
    await once(client.webSocket, 'pong');
    gate.open();
    expect(await client.next()).to.deep.equal(failed);
    expect(await client.closed).to.deep.equal({ code: 1009, reason: '' });
  });

  it('[WS-AUTH-16] is not read on beyond 1 MiB while its auth is being decided, and loses nothing', async () => {
    await reopen({ publishRate: 0 });
    const reader = await (await world.join()).subscribe(topic);
    gate.close();
    const client = await world.connect();
    client.send(auth());
    const data = 'x'.repeat(900_000);
    for (let count = 0; count < 20; count++) client.publish(topic, data);
    // The kernel takes some of it; what it does not stays with the client.
    const left = await settled(() => client.webSocket.bufferedAmount, 50);
    expect(left).to.be.above(5_000_000);
    gate.open();
    expect(await client.next()).to.include({ type: 'auth', success: true });
    for (let count = 0; count < 20; count++) expect(await reader.next()).to.include({ type: 'message' });
  });

  it('[WS-CONN-12] is closed with 4000 when its time is up, whatever it sends meanwhile', async () => {
    await reopen({ authenticationMs: 1_000 });
    const member = await world.joinAs(token);
    const client = await world.connect();
    let sent = 0;
    const signs = setInterval(() => {
      client.webSocket.ping();
      if (sent++ < 9) client.sendBytes(heartbeat);
    }, 20);
    const start = performance.now();
    expect(await client.closed).to.deep.equal({ code: 4000, reason: 'idle_timeout' });
    clearInterval(signs);
    expect(performance.now() - start).to.be.within(950, 10_000);
    expect(await member.sendBytes(heartbeat).next()).to.equal('heartbeat');
  });

  it('[WS-CONN-12] is closed also while its auth is being decided, and is not admitted afterwards', async () => {
    await reopen({ authenticationMs: 200 });
    gate.close();
    const client = await world.connect();
    client.send(auth());
    expect(await client.closed).to.deep.equal({ code: 4000, reason: 'idle_timeout' });
    gate.open();
    await eventually(() => world.gateway.connections === 0);
    expect(world.gateway.metrics.authenticated).to.equal(0);
  });
});

describe('a message in fragments', () => {
  let world: World;

  beforeEach(async () => void (world = await World.open({ messageMs: 300 })));
  afterEach(() => world.close());

  it('[WS-CONN-13] that is not whole in time closes with 1008, with pings or without', async () => {
    for (const client of [await world.connect(), await world.join()]) {
      client.webSocket.send('{', { fin: false });
      const pings = setInterval(() => client.webSocket.ping(), 20);
      expect(await client.closed).to.deep.equal({ code: 1008, reason: 'message_timeout' });
      clearInterval(pings);
    }
    expect(world.gateway.metrics.closes).to.deep.equal({ '1008 message_timeout': 2 });
  });

  it('[WS-CONN-13] is no problem for those that send one after another, each in time', async () => {
    const client = await world.join();
    const end = performance.now() + 1_000;
    while (performance.now() < end) {
      client.webSocket.send('{"type":', { fin: false });
      client.webSocket.send('"getPresence"}', { fin: true });
      // Nearly always amid one, and never amid the same one for long.
      client.webSocket.send('{"type":', { fin: false });
      await new Promise((resolve) => setTimeout(resolve, 80));
      client.webSocket.send('"getPresence"}', { fin: true });
      for (let count = 0; count < 2; count++)
        expect(await client.next()).to.include({ type: 'presenceList' });
    }
  });
});
