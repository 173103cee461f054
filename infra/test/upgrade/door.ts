import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** An address that leads to one process, and from some moment on to another one: a load balancer of one. */
export class Door {
  /** The port behind it. */
  private port: number;
  private readonly server = createServer((outside) => this.enter(outside));
  private readonly sockets = new Set<Socket>();

  private constructor(baseUrl: string) {
    this.port = Number(new URL(baseUrl).port);
  }

  /** On loopback, on a free port. */
  static async open(baseUrl: string): Promise<Door> {
    const door = new Door(baseUrl);
    await once(door.server.listen(0, '127.0.0.1'), 'listening');
    return door;
  }

  get socketUrl(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}/ws`;
  }

  /** For new connections; the others stay where they are. */
  leadTo(baseUrl: string): void {
    this.port = Number(new URL(baseUrl).port);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private enter(outside: Socket): void {
    const inside = connect(this.port, '127.0.0.1');
    for (const [socket, other] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      this.sockets.add(socket);
      socket.setNoDelay();
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.end();
      });
    }
  }
}
