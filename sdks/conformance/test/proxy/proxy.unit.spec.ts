import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { encode } from '@msgpack/msgpack';
import { eventually } from '@roomwire/testing/run/eventually';
import { expect } from 'chai';
import type { Fault } from '../../src/proxy/faults.js';
import { Proxy } from '../../src/proxy/proxy.js';

/** A frame as a server writes it. */
const frame = (content: object): Buffer => {
  const payload = Buffer.from(encode(content));
  return Buffer.concat([Buffer.from([0x82, payload.length]), payload]);
};

/** And as a client does. */
const masked = (content: object): Buffer => {
  const payload = Buffer.from(encode(content));
  const mask = Buffer.from([1, 2, 3, 4]);
  const bytes = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x82, 0x80 | payload.length]), mask, bytes]);
};

const hello = 'GET /ws HTTP/1.1\r\n\r\n';
const welcome = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';

/** A socket with all that it has read. */
interface End {
  readonly socket: Socket;
  read(): Buffer;
  isClosed(): boolean;
}

const endOf = (socket: Socket): End => {
  const chunks: Buffer[] = [];
  let closed = false;
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => void chunks.push(chunk))
    .once('close', () => (closed = true));
  return { socket, read: () => Buffer.concat(chunks), isClosed: () => closed };
};

describe('The proxy', () => {
  let server: Server;
  let proxy: Proxy;
  let near: End;
  let far: End;

  const open = async (): Promise<void> => {
    const coming = once(server, 'connection');
    near = endOf(connect(Number(new URL(proxy.url).port), '127.0.0.1'));
    far = endOf(((await coming) as [Socket])[0]);
    near.socket.write(hello);
    far.socket.write(welcome);
    await eventually(() => near.read().length === welcome.length && far.read().length === hello.length);
  };

  const fault = (one: Partial<Fault>): void =>
    proxy.addFault({ to: 'server', frame: 'publish', where: {}, nth: 1, then: 'cutBefore', ...one });

  const cameToServer = (): Buffer => far.read().subarray(hello.length);
  const cameToClient = (): Buffer => near.read().subarray(welcome.length);

  beforeEach(async () => {
    server = createServer({ allowHalfOpen: false }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await Proxy.open(() => (server.address() as AddressInfo).port, { onNote: () => undefined });
    await open();
  });
  afterEach(async () => {
    await proxy.close();
    near.socket.destroy();
    far.socket.destroy();
    server.close();
    await once(server, 'close');
  });

  it('carries frames as they are, in whatever pieces they come, and knows them', async () => {
    const bytes = masked({ type: 'publish', data: 1 });
    near.socket.write(bytes.subarray(0, 3));
    await eventually(() => proxy.tried === 1);
    near.socket.write(bytes.subarray(3));
    far.socket.write(frame({ type: 'published' }));
    await eventually(() => cameToServer().equals(bytes) && cameToClient().length > 0);
    expect(proxy.passed.filter(({ name }) => name !== 'handshake')).to.deep.include.members([
      { to: 'server', name: 'publish', content: { type: 'publish', data: 1 } },
      { to: 'client', name: 'published', content: { type: 'published' } },
    ]);
  });

  it('cuts before a frame, behind others', async () => {
    fault({ then: 'cutBefore' });
    const first = masked({ type: 'subscribe' });
    near.socket.write(first);
    await eventually(() => cameToServer().equals(first));
    near.socket.write(masked({ type: 'publish' }));
    await eventually(() => near.isClosed() && far.isClosed());
    expect(cameToServer().equals(first)).to.equal(true);
  });

  it('cuts within a frame', async () => {
    fault({ then: 'cutWithin' });
    const bytes = masked({ type: 'publish', data: 'text' });
    near.socket.write(bytes);
    await eventually(() => near.isClosed() && far.isClosed());
    expect(cameToServer().equals(bytes.subarray(0, Math.ceil(bytes.length / 2)))).to.equal(true);
  });

  it('cuts behind the frame that is meant', async () => {
    fault({ to: 'client', frame: 'message', where: { data: { $above: 1 } }, nth: 2, then: 'cutAfter' });
    const messages = [1, 2, 3, 4].map((data) => frame({ type: 'message', data }));
    far.socket.write(Buffer.concat(messages));
    await eventually(() => near.isClosed() && far.isClosed());
    expect(cameToClient().equals(Buffer.concat(messages.slice(0, 3)))).to.equal(true);
  });

  it('holds one direction, and lets what waited go on', async () => {
    proxy.hold('server');
    const bytes = masked({ type: 'publish' });
    near.socket.write(bytes);
    await eventually(() => proxy.arrived.some(({ name }) => name === 'publish'));
    far.socket.write(frame({ type: 'message' }));
    await eventually(() => cameToClient().length > 0);
    expect(cameToServer().length).to.equal(0);
    proxy.release();
    await eventually(() => cameToServer().equals(bytes));
  });

  it('delivers what was on its way when the client had gone', async () => {
    proxy.hold('server');
    const bytes = masked({ type: 'publish' });
    near.socket.write(bytes);
    await eventually(() => proxy.arrived.some(({ name }) => name === 'publish'));
    proxy.cut('client');
    await eventually(() => near.isClosed());
    expect(far.isClosed()).to.equal(false);
    proxy.release();
    await eventually(() => cameToServer().equals(bytes) && far.isClosed());
  });

  it('loses all that is sent, and ends nothing', async () => {
    proxy.lose();
    near.socket.write(masked({ type: 'publish' }));
    await eventually(() => proxy.arrived.some(({ name }) => name === 'publish'));
    expect([cameToServer().length, near.isClosed(), far.isClosed()]).to.eql([0, false, false]);
  });

  it('refuses as many connections as it is told', async () => {
    proxy.refuse('reset', 1);
    const refused = endOf(connect(Number(new URL(proxy.url).port), '127.0.0.1'));
    await eventually(() => refused.isClosed());
    await open();
    expect(proxy.tried).to.equal(3);
  });

  it('answers a handshake with a status', async () => {
    proxy.refuse(503);
    const refused = endOf(connect(Number(new URL(proxy.url).port), '127.0.0.1'));
    refused.socket.write(hello);
    await eventually(() => refused.isClosed());
    expect(refused.read().toString()).to.match(/^HTTP\/1\.1 503 /);
  });
});
