import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type ClientRequest, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { expect } from 'chai';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { WebSocket } from 'ws';
import { createGateway } from '../../../src/gateway.js';
import { World } from '../../support/world.js';

const offer =
  'Host: test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';

/** Node hands every request with an `Upgrade` header to the gateway. */
describe('a request that offers an upgrade', () => {
  let world: World;
  let server: Server;
  let wires: Socket[];
  let client: Socket;
  let received: string;

  beforeEach(async () => {
    world = await World.open();
    wires = [];
    server = createServer((request, response) => {
      void text(request).then((body) => response.end(`<${summary(request)} ${body}>`));
    });
    server.on('connection', (wire: Socket) => wires.push(wire));
    const { views, usage, bus, sessions, publishIds, secretBox } = world;
    const ports = {
      views,
      usage,
      bus,
      sessions,
      publishIds,
      clock: new ManualClock(),
      random: systemRandom,
      logger: silentLogger,
      secretBox,
    };
    createGateway(ports).attach(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // It does not end when the server does.
    client = connect({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      allowHalfOpen: true,
    });
    client.on('error', () => undefined);
    received = '';
    client.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  });

  afterEach(async () => {
    client.destroy();
    server.close();
    await world.close();
  });

  const answered = async (times: number): Promise<string[]> => {
    for (;;) {
      const answers = received.match(/<.*?>/g) ?? [];
      if (answers.length >= times) return answers;
      await once(client, 'data');
    }
  };

  it('[WS-CONN-1] for another protocol is served as an ordinary one', async () => {
    client.write(`GET /x?y=z HTTP/1.1\r\n${offer}\r\n`);
    expect(await answered(1)).to.deep.equal(['<GET /x?y=z offers nothing >']);
    expect(received).to.match(/^HTTP\/1.1 200 OK\r\n/);
  });

  const body = JSON.stringify({ name: 'Kühlhaus' });
  const length = Buffer.byteLength(body);
  const head = `POST /x HTTP/1.1\r\n${offer}Content-Type: application/json\r\n`;
  const bodies: Record<string, readonly string[]> = {
    'in one piece': [`${head}Content-Length: ${length}\r\n\r\n${body}`],
    'in two': [`${head}Content-Length: ${length}\r\n\r\n${body.slice(0, 5)}`, body.slice(5)],
    'behind its head': [`${head}Content-Length: ${length}\r\n\r\n`, body],
    'in chunks': [
      `${head}Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n${body}`,
      '\r\n0\r\n\r\n',
    ],
  };
  for (const [how, pieces] of Object.entries(bodies)) {
    it(`[WS-CONN-1] for another protocol has its body read: ${how}`, async () => {
      const requested = once(server, 'request');
      for (const [at, piece] of pieces.entries()) {
        if (at > 0) await requested;
        client.write(piece);
      }
      expect(await answered(1)).to.deep.equal([`<POST /x offers nothing ${body}>`]);
    });
  }

  it('[WS-CONN-1] for another protocol may follow others, and is the last on its socket', async () => {
    client.write('GET /plain HTTP/1.1\r\nHost: test\r\n\r\n');
    await answered(1);
    client.write(`GET /x HTTP/1.1\r\n${offer}\r\n`);
    await once(client, 'end');
    expect(await answered(2)).to.deep.equal(['<GET /plain offers nothing >', '<GET /x offers nothing >']);
    expect(received).to.match(/Connection: close/);
    expect(new Set(wires).size).to.equal(1);
  });

  it('[WS-CONN-1] to a WebSocket by another method than GET is served as an ordinary one', async () => {
    client.write(
      'POST /ws HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nhi',
    );
    expect(await answered(1)).to.deep.equal(['<POST /ws offers nothing hi>']);
  });

  it('[WS-CONN-1] with more headers than Node keeps is refused', async () => {
    client.write(`GET /x HTTP/1.1\r\n${offer}${'a:b\r\n'.repeat(600)}\r\n`);
    await once(client, 'end');
    expect(received).to.match(/^HTTP\/1.1 431 /);
  });

  for (const [path, status] of [
    ['/other', 404],
    ['/ws', 503],
  ] as const) {
    it(`[WS-CONN-1] and is refused with ${status} leaves no open socket, though the peer keeps its side open`, async () => {
      client.write(`GET ${path} HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
      await once(client, 'end');
      expect(received).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      // Ends only when no socket is left, and the client has not closed its own.
      await new Promise((resolve) => server.close(resolve));
    });
  }
});

const summary = ({ method, url, headers }: IncomingMessage): string =>
  `${method} ${url} offers ${headers.upgrade ?? 'nothing'}`;

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

  it('is ignored unless some are configured', async () => {
    world = await World.open();
    expect(await statusOf({ origin: 'https://anything.test' })).to.equal(101);
    expect(await statusOf({})).to.equal(101);
  });

  it('must be one of the allowed ones', async () => {
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

  it('must be allowed in the older handshake too', async () => {
    world = await World.open({ allowedOrigins });
    const named = (origin: string) => statusOf({ 'Sec-WebSocket-Origin': origin }, 8);
    expect(await named('https://evil.example.com')).to.equal(403);
    expect(await named('https://app.example.com')).to.equal(101);
  });

  it('is not required of clients other than browsers', async () => {
    world = await World.open({ allowedOrigins });
    expect(await statusOf({})).to.equal(101);
  });
});
