import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** The way to a server, which may be gone for a while as in a restart: connections are reset, and new ones refused. */
export class Outage {
  private readonly to: number;
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private listening = 0;
  private count = 0;

  constructor(to: number) {
    this.to = to;
  }

  get port(): number {
    return this.listening;
  }

  async begin(): Promise<void> {
    this.server?.close();
    for (const socket of this.sockets) socket.resetAndDestroy();
    await Promise.resolve();
  }

  async end(): Promise<void> {
    this.server = createServer((socket) => this.forward(socket));
    this.server.listen({ port: this.listening, host: '127.0.0.1', backlog: 4_096 });
    await once(this.server, 'listening');
    this.listening = (this.server.address() as { port: number }).port;
  }

  private forward(socket: Socket): void {
    this.count += 1;
    // From addresses of their own: the server has a bound on those of one address that are not authenticated yet.
    const localAddress = `127.0.0.${2 + (this.count % 200)}`;
    const onward = connect({ port: this.to, host: '127.0.0.1', localAddress });
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
