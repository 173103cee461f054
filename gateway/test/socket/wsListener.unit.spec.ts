import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { binaryFrame } from '@roomwire/shared/wire/protocol/encodeFrames';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { createWsListener, type FrameReceiver, type FrameSocket } from '../../src/socket/wsListener.js';

/**
 * We write to the TCP socket behind the back of `ws`. These tests fail when a new version of it no longer writes its
 * own frames at once, compresses, or holds another socket than the one of the `upgrade` event.
 */
describe('frames that are written past ws', () => {
  let server: Server;
  let socket: FrameSocket;
  let client: WebSocket;
  let received: string[];
  let receiver: FrameReceiver;

  beforeEach(async () => {
    receiver = {
      onFrame: (bytes) => socket.write(binaryFrame(bytes)),
      onSignOfLife: () => undefined,
      onClosing: () => undefined,
      onClosed: () => undefined,
    };
    const listener = createWsListener(200, (accepted) => {
      socket = accepted;
      return receiver;
    });
    server = createServer();
    server.on('upgrade', (request, wire, head) => listener.upgrade(request, wire, head, '127.0.0.1'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      perMessageDeflate: { threshold: 0 },
    });
    received = [];
    client.on('message', (data: Buffer) => received.push(data.toString().slice(0, 20)));
    client.on('pong', (data) => received.push(`pong ${data.toString()}`));
    await once(client, 'open');
  });

  afterEach(() => {
    client.terminate();
    server.close();
  });

  it('are not compressed, although the client offered it', () => {
    expect(client.extensions).to.equal('');
  });

  it('keep their order with its pongs and its close', async () => {
    const large = Buffer.alloc(1_000_000, 'x');
    const expected: string[] = [];
    for (let round = 0; round < 50; round++) {
      const text = `frame ${round}`;
      client.send(round % 10 === 0 ? Buffer.concat([Buffer.from(`${text} `), large]) : text);
      client.ping(`${round}`);
      expected.push(round % 10 === 0 ? `${text} `.padEnd(20, 'x') : text, `pong ${round}`);
    }
    while (received.length < 100) await once(client, 'message');
    for (let count = 0; count < 20; count++) {
      socket.write(binaryFrame(Buffer.from(`last ${count}`)));
      expected.push(`last ${count}`);
    }
    socket.close({ code: 4321, reason: 'done' });
    socket.write(binaryFrame(Buffer.from('too late')));
    const [code, reason] = (await once(client, 'close')) as [number, Buffer];
    expect(received).to.deep.equal(expected);
    expect([code, reason.toString()]).to.deep.equal([4321, 'done']);
  });

  it('are still sent when the peer closes, while the receiver is notified, and not afterwards', async () => {
    receiver.onClosing = () => socket.write(binaryFrame(Buffer.from('the last one')));
    const gone = new Promise<void>((resolve) => {
      receiver.onClosed = () => {
        socket.write(binaryFrame(Buffer.from('too late')));
        resolve();
      };
    });
    client.close(1000);
    await Promise.all([gone, once(client, 'close')]);
    expect(received).to.deep.equal(['the last one']);
  });

  it('count as buffered until the peer has read them', async () => {
    client.pause();
    const frame = binaryFrame(Buffer.alloc(1_000_000));
    for (let count = 0; count < 30; count++) socket.write(frame);
    expect(socket.bufferedBytes).to.be.within(1_000_000, 30 * frame.length);
    client.resume();
    while (received.length < 30) await once(client, 'message');
    while (socket.bufferedBytes > 0) await new Promise(setImmediate);
  });

  it('do not delay the end: a peer that never answers the close is cut off', async () => {
    const gone = new Promise<number>((resolve) => (receiver.onClosed = resolve));
    client.pause();
    socket.close({ code: 4321, reason: 'done' });
    expect(await gone).to.equal(1006);
  });

  it('do not replace the code that the peer closes with', async () => {
    const gone = new Promise<number>((resolve) => (receiver.onClosed = resolve));
    client.close(1001, 'going away');
    expect(await gone).to.equal(1001);
  });
});
