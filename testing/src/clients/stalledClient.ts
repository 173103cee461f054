import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { encode } from '@msgpack/msgpack';

/** A WebSocket client without a library, for what well-behaved ones do not do: it reads, and ends, only when it is told to. */
export class StalledClient {
  readonly socket: Socket;
  received = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => (this.received = Buffer.concat([this.received, bytes])));
  }

  static async connect(url: string): Promise<StalledClient> {
    const { hostname, port } = new URL(url);
    const client = new StalledClient(connect({ port: Number(port), host: hostname, allowHalfOpen: true }));
    client.socket.write(
      'GET /ws HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await once(client.socket, 'data');
    client.received = Buffer.alloc(0);
    return client;
  }

  /** A short frame, masked with zeros. */
  send(frame: unknown): void {
    const payload = encode(frame);
    const header = Buffer.from([0x82, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]);
    this.socket.write(Buffer.concat([header, payload]));
  }

  async ask(frame: unknown): Promise<void> {
    this.send(frame);
    await once(this.socket, 'data');
  }

  stall(): void {
    this.socket.pause();
  }

  /** Everything that still comes, until the server has cut the connection. */
  async drain(): Promise<Buffer> {
    this.socket.once('end', () => this.socket.end());
    this.socket.resume();
    if (!this.socket.closed) await once(this.socket, 'close');
    return this.received;
  }
}
