import type { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { decode, encode } from '@msgpack/msgpack';
import { expectDescribed } from './describedFrames.js';
import { WebSocket, type ClientOptions } from 'ws';

export type Frame = Readonly<Record<string, unknown>>;

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

const patienceMs = 10_000;

/** A WebSocket client that queues the frames it receives until a test reads them; each must match the AsyncAPI document. */
export class FrameClient {
  /** Resolves with the close code and reason. */
  readonly closed: Promise<Closed>;
  readonly webSocket: WebSocket;
  private readonly frames: (Frame | 'heartbeat')[] = [];
  private wake: (() => void) | undefined;
  isClosed = false;

  private constructor(webSocket: WebSocket) {
    this.webSocket = webSocket;
    webSocket.on('error', () => undefined);
    webSocket.on('message', (data: Buffer, isBinary) => this.take(data, isBinary));
    this.closed = new Promise((resolve) =>
      webSocket.on('close', (code, reason) => {
        this.isClosed = true;
        this.wake?.();
        resolve({ code, reason: reason.toString() });
      }),
    );
  }

  static async connect(url: string, options: ClientOptions = {}): Promise<FrameClient> {
    const client = new FrameClient(new WebSocket(url, { perMessageDeflate: false, ...options }));
    await once(client.webSocket, 'open');
    return client;
  }

  /** Connected and authenticated. */
  static async join(url: string, token: string, options: ClientOptions = {}): Promise<FrameClient> {
    return (await FrameClient.connect(url, options)).authenticate(token);
  }

  /** Sends a frame in MessagePack. */
  send(frame: unknown): this {
    return this.sendBytes(encode(frame));
  }

  /** Sends a frame in JSON. */
  sendJson(frame: unknown): this {
    return this.sendText(JSON.stringify(frame));
  }

  sendBytes(bytes: Uint8Array): this {
    this.webSocket.send(bytes, { binary: true });
    return this;
  }

  sendText(text: string): this {
    this.webSocket.send(text);
    return this;
  }

  /** The next frame; an empty one is `heartbeat`. */
  async next(): Promise<Frame | 'heartbeat'> {
    const deadline = setTimeout(() => this.wake?.(), patienceMs);
    try {
      if (this.frames.length === 0 && !this.isClosed)
        await new Promise<void>((resolve) => (this.wake = resolve));
    } finally {
      clearTimeout(deadline);
    }
    const frame = this.frames.shift();
    if (frame === undefined)
      throw new Error(this.isClosed ? 'The connection is closed' : 'No frame was received');
    return frame;
  }

  /** The type of the next frame. */
  async nextType(): Promise<unknown> {
    const frame = await this.next();
    return frame === 'heartbeat' ? frame : frame['type'];
  }

  /** Sends a frame and resolves with the next one. */
  async ask(frame: unknown): Promise<Frame | 'heartbeat'> {
    return this.send(frame).next();
  }

  async authenticate(token: string, protocolVersion: number | undefined = 2): Promise<this> {
    const frame = { type: 'auth', token, ...(protocolVersion && { protocolVersion }) };
    const reply = await this.sendDescribed(frame).next();
    if (reply === 'heartbeat' || reply['success'] !== true)
      throw new Error(`No success: ${JSON.stringify(reply)}`);
    return this;
  }

  async subscribe(topic: string, options: Frame = {}): Promise<this> {
    const reply = await this.sendDescribed({ type: 'subscribe', topic, ...options }).next();
    if (reply === 'heartbeat' || reply['type'] !== 'subscribed') {
      throw new Error(`Not subscribed: ${JSON.stringify(reply)}`);
    }
    return this;
  }

  publish(topic: string, data: unknown, options: Frame = {}): this {
    return this.send({ type: 'publish', topic, data, ...options });
  }

  /** Resolves after the closing handshake. */
  async close(): Promise<void> {
    this.webSocket.close();
    await this.closed;
  }

  /** Ends the connection without a closing handshake. */
  terminate(): void {
    this.webSocket.terminate();
  }

  /** Sends a frame that must match the AsyncAPI document. */
  private sendDescribed(frame: Frame): this {
    expectDescribed('client', frame);
    return this.send(frame);
  }

  private take(data: Buffer, isBinary: boolean): void {
    if (!isBinary) throw new Error('The server sent text');
    const frame = data.length === 0 ? 'heartbeat' : (decode(data) as Frame);
    if (frame !== 'heartbeat') expectDescribed('server', frame);
    this.frames.push(frame);
    this.wake?.();
    this.wake = undefined;
  }
}
