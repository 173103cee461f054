import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { decode, encode } from '@msgpack/msgpack';
import { WebSocketServer, type WebSocket } from 'ws';
import { Queue } from './queue.js';

export type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

/** The server's end of one connection; the test says what it answers. */
export class Peer {
  private readonly socket: WebSocket;
  private readonly frames = new Queue<Frame>();
  /** Close code that this end saw. */
  readonly closed: Promise<number>;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (bytes: Buffer) => this.frames.push(frameOf(bytes)));
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  /** The next frame; it must be of this type. An empty frame has the type `heartbeat`. */
  async next(type: string): Promise<Frame> {
    const frame = await this.frames.next();
    if (frame.type !== type) throw new Error(`Expected ${type}, got ${JSON.stringify(frame)}`);
    return frame;
  }

  send(frame: Frame): void {
    this.socket.send(encode(frame));
  }

  sendRaw(data: Uint8Array | string): void {
    this.socket.send(data);
  }

  /** Takes the `auth` frame and accepts it. */
  async accept(reply: Partial<Frame> = {}): Promise<Frame> {
    const auth = await this.next('auth');
    this.send({ type: 'auth', success: true, ...session, ...reply });
    return auth;
  }

  async refuse(error: string): Promise<Frame> {
    const auth = await this.next('auth');
    this.send({ type: 'auth', success: false, error });
    return auth;
  }

  /** Takes a `subscribe` frame and confirms it. */
  async confirm(reply: Partial<Frame> = {}): Promise<Frame> {
    const frame = await this.next('subscribe');
    this.send({ type: 'subscribed', topic: frame.topic, loadBalance: false, ...reply });
    return frame;
  }

  /** Takes an `unsubscribe` frame and confirms it. */
  async release(): Promise<Frame> {
    const frame = await this.next('unsubscribe');
    this.send({ type: 'unsubscribed', topic: frame.topic });
    return frame;
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }

  /** Without a closing handshake, as when the network fails. */
  drop(): void {
    this.socket.terminate();
  }

  /** Reads nothing any more, so that a closing handshake is not answered. */
  freeze(): void {
    this.socket.pause();
  }
}

export const session = {
  actorTokenId: '5f2d7b0e-8a38-4d3c-9c43-0a4f0a3f6f11',
  projectId: 'b8f6a3c2-57e5-4b8e-8a3c-3f7f2d9c1e22',
  actorType: 'service',
  protocolVersion: 2,
  restoredSubscriptions: [],
};

/** A WebSocket server on loopback that does nothing by itself. */
export class ScriptedBroker {
  private readonly server: WebSocketServer;
  private readonly peers = new Queue<Peer>();
  readonly url: string;

  private constructor(server: WebSocketServer) {
    this.server = server;
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`;
    server.on('connection', (socket) => this.peers.push(new Peer(socket)));
  }

  static async start(): Promise<ScriptedBroker> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/ws' });
    await once(server, 'listening');
    return new ScriptedBroker(server);
  }

  /** The next connection, in the order of their coming. */
  nextPeer(): Promise<Peer> {
    return this.peers.next();
  }

  async close(): Promise<void> {
    for (const socket of this.server.clients) socket.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const frameOf = (bytes: Buffer): Frame =>
  bytes.length === 0 ? { type: 'heartbeat' } : (decode(bytes) as Frame);
