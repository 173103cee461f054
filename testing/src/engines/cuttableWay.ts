import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface WayEnds {
  /** Where it can be entered; by default a free port on loopback. */
  readonly host?: string;
  readonly port?: number;
  /** The port on loopback to which it leads. */
  readonly to: number;
}

/** Carries connections to a port, and can be cut as a network is: nothing gets through any more, and no connection ends. */
export class CuttableWay {
  private readonly to: number;
  private readonly server: Server;
  /** Both ends of each connection. */
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(to: number) {
    this.to = to;
    this.server = createServer((socket) => this.carry(socket));
  }

  static async open({ host = '127.0.0.1', port = 0, to }: WayEnds): Promise<CuttableWay> {
    const way = new CuttableWay(to);
    way.server.listen(port, host);
    await once(way.server, 'listening');
    return way;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Those that it carries now. */
  get connections(): number {
    return this.sockets.size / 2;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** What waited goes on. */
  heal(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private carry(near: Socket): void {
    const far = connect(this.to, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one
        .on('error', () => undefined)
        .once('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
      one.on('data', (bytes) => void other.write(bytes));
      if (this.isCut) one.pause();
    }
  }
}
