import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { FrameClient } from '@roomwire/testing/clients/frameClient';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { eventually } from '@roomwire/testing/run/eventually';
import { expect } from 'chai';
import { WebSocket } from 'ws';
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
