import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { World } from '../support/world.js';

const allowedOrigins = ['https://app.example.com', 'capacitor://localhost'];

describe('[WS-CONN-9] the origin of a handshake', () => {
  let world: World;

  /** The HTTP status of a handshake: 101 for one that succeeds. */
  const statusOf = async (headers: Record<string, string>, protocolVersion = 13): Promise<number> => {
    const webSocket = new WebSocket(world.url(), { headers, protocolVersion, perMessageDeflate: false });
    webSocket.on('error', () => undefined);
    const answer = once(webSocket, 'unexpected-response') as Promise<[ClientRequest, IncomingMessage]>;
    const status = await Promise.race([
      once(webSocket, 'open').then(() => 101),
      answer.then(([, { statusCode = 0 }]) => statusCode),
    ]);
    webSocket.terminate();
    return status;
  };

  afterEach(() => world.close());

  it('is of no interest unless some are configured', async () => {
    world = await World.open();
    expect(await statusOf({ origin: 'https://anything.test' })).to.equal(101);
    expect(await statusOf({})).to.equal(101);
  });

  it('must be one of those that are', async () => {
    world = await World.open({ allowedOrigins });
    for (const origin of allowedOrigins) expect(await statusOf({ origin })).to.equal(101);
    for (const origin of [
      'https://evil.example.com',
      'https://app.example.com.evil.test',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://APP.example.com',
      'null',
      '',
    ])
      expect(await statusOf({ origin }), origin).to.equal(403);
  });

  it('must be so in the older handshake too', async () => {
    world = await World.open({ allowedOrigins });
    const named = (origin: string) => statusOf({ 'Sec-WebSocket-Origin': origin }, 8);
    expect(await named('https://evil.example.com')).to.equal(403);
    expect(await named('https://app.example.com')).to.equal(101);
  });

  it('is not asked of those who are no browser', async () => {
    world = await World.open({ allowedOrigins });
    expect(await statusOf({})).to.equal(101);
  });
});
