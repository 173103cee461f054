import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** One address on loopback for several processes, as a load balancer is: a new connection goes to the next one that can be reached. */
export class Door {
  /** The ports behind it. */
  private ports: readonly number[];
  private entered = 0;
  private readonly server = createServer((outside) => this.enter(outside));
  private readonly sockets = new Set<Socket>();

  private constructor(ports: readonly number[]) {
    this.ports = ports;
  }

  /** On a free port. */
  static async open(...baseUrls: readonly string[]): Promise<Door> {
    const door = new Door(baseUrls.map(portOf));
    await once(door.server.listen(0, '127.0.0.1'), 'listening');
    return door;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get socketUrl(): string {
    return `ws://127.0.0.1:${this.port}/ws`;
  }

  /** For new connections; the others stay where they are. */
  leadTo(...baseUrls: readonly string[]): void {
    this.ports = baseUrls.map(portOf);
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private enter(outside: Socket): void {
    this.entered += 1;
    const first = this.entered % this.ports.length;
    this.sockets.add(outside);
    outside
      .setNoDelay()
      .on('error', () => undefined)
      .on('close', () => this.sockets.delete(outside));
    this.lead(outside, [...this.ports.slice(first), ...this.ports.slice(0, first)]);
  }

  private lead(outside: Socket, [port, ...others]: readonly number[]): void {
    if (port === undefined || outside.destroyed) return void outside.destroy();
    const inside = connect({ port, host: '127.0.0.1', noDelay: true });
    const next = (): void => this.lead(outside, others);
    this.sockets.add(inside);
    inside
      .once('error', next)
      .on('close', () => this.sockets.delete(inside))
      .once('connect', () => {
        inside.off('error', next);
        join(outside, inside);
      });
  }
}

const join = (outside: Socket, inside: Socket): void => {
  if (outside.destroyed) return void inside.destroy();
  for (const [one, other] of [
    [outside, inside],
    [inside, outside],
  ] as const) {
    one.pipe(other);
    one
      .on('error', () => other.destroy())
      // What is still to be read would keep it open.
      .on('close', () => other.end().resume());
  }
};

const portOf = (baseUrl: string): number => Number(new URL(baseUrl).port);
