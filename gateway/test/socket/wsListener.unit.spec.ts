import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { binaryFrame } from '@roomwire/shared/wire/protocol/encodeFrames';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import {
  clientsBounds,
  createWsListener,
  strangersBounds,
  type FrameReceiver,
  type FrameSocket,
} from '../../src/socket/wsListener.js';

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
    socket.bound(clientsBounds);
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

const wireOf = (client: WebSocket): Socket => (client as unknown as { readonly _socket: Socket })._socket;

/** The bounds of `ws` cannot be changed through its interface. These tests fail when a new version keeps them elsewhere. */
describe('the bounds of a socket', () => {
  let server: Server;
  let socket: FrameSocket;
  let client: WebSocket;
  let lengths: number[];
  let closedWith: number | undefined;
  let onFrame: () => void;

  beforeEach(async () => {
    lengths = [];
    onFrame = () => undefined;
    const listener = createWsListener(200, (accepted) => {
      socket = accepted;
      return {
        onFrame: ({ length }) => {
          lengths.push(length);
          onFrame();
        },
        onSignOfLife: () => socket.write(binaryFrame(Buffer.from('alive'))),
        onClosing: () => undefined,
        onClosed: (code) => (closedWith = code),
      };
    });
    server = createServer();
    server.on('upgrade', (request, wire, head) => listener.upgrade(request, wire, head, '127.0.0.1'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await once(client, 'open');
  });

  afterEach(() => {
    client.terminate();
    server.close();
  });

  /** Resolves when the server has read everything up to here. */
  const alive = async () => {
    client.ping();
    await once(client, 'message');
  };

  const closeCode = async () => ((await once(client, 'close')) as [number])[0];

  it('are those of a stranger at first', async () => {
    client.send(Buffer.alloc(strangersBounds.bytes));
    client.send(Buffer.alloc(strangersBounds.bytes + 1));
    expect(await closeCode()).to.equal(1009);
    expect(lengths).to.deep.equal([strangersBounds.bytes]);
    while (closedWith === undefined) await new Promise(setImmediate);
    expect(closedWith).to.equal(1009);
  });

  it('hold for a message in fragments', async () => {
    for (let count = 0; count < 21; count++) client.send(Buffer.alloc(1_024), { fin: false });
    expect(await closeCode()).to.equal(1009);
    expect(lengths).to.deep.equal([]);
  });

  it('hold for the pieces in which a frame arrives', async () => {
    let reads = 0;
    socket.onRead(() => reads++);
    const closed = closeCode();
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    // A frame of 20,000 bytes, byte by byte; each is written when the one before it was read.
    wireOf(client).write(Uint8Array.of(0x82, 0xfe, 20_000 >> 8, 20_000 & 0xff, 0, 0, 0, 0));
    for (let sent = 1; !isClosed && sent < 20_000; sent++) {
      wireOf(client).write(new Uint8Array(1));
      while (!isClosed && reads < sent) await new Promise(setImmediate);
    }
    expect(await closed).to.equal(1008);
    expect(reads).to.be.within(strangersBounds.chunks, strangersBounds.chunks + 5);
  });

  it('may be raised by one frame for the next one, though both were read at once', async () => {
    onFrame = () => void socket.bound(clientsBounds);
    const wire = wireOf(client);
    wire.cork();
    client.send('auth');
    client.send(Buffer.alloc(clientsBounds.bytes));
    wire.uncork();
    while (lengths.length < 2) await alive();
    expect(lengths).to.deep.equal([4, clientsBounds.bytes]);
    client.send(Buffer.alloc(clientsBounds.bytes + 1));
    expect(await closeCode()).to.equal(1009);
  });

  it('may be lowered, also below what a message has reached already', async () => {
    expect(socket.bound(clientsBounds)).to.equal(true);
    client.send(Buffer.alloc(30_000), { fin: false });
    await alive();
    expect(socket.isAmidFragments).to.equal(true);
    expect(socket.bound(clientsBounds)).to.equal(true);
    expect(socket.bound(strangersBounds)).to.equal(false);
    client.send(Buffer.alloc(1));
    expect(await closeCode()).to.equal(1009);
  });

  it('know when a message has begun and when it is whole', async () => {
    expect(socket.isAmidFragments).to.equal(false);
    client.send('first', { fin: false });
    await alive();
    expect(socket.isAmidFragments).to.equal(true);
    client.send('last', { fin: true });
    await alive();
    expect(socket.isAmidFragments).to.equal(false);
    expect(lengths).to.deep.equal([9]);
  });

  it('leave the reads to be counted, as long as somebody asks', async () => {
    let read = 0;
    const stop = socket.onRead((bytes) => (read += bytes));
    client.send(Buffer.alloc(10_000), { fin: false });
    await alive();
    expect(read).to.be.within(10_000, 10_100);
    stop();
    client.send(Buffer.alloc(10_000));
    await alive();
    expect(read).to.be.within(10_000, 10_100);
    expect(lengths).to.deep.equal([20_000]);
  });
});
