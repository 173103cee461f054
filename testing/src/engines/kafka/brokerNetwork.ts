import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Ports on which a broker hears the other brokers, on loopback. */
export interface BrokerPorts {
  readonly internal: number;
  readonly controller: number;
}

/** The name under which the other brokers know a broker. */
export const hostOf = (id: number): string => `broker-${id}`;

/** Each broker knows each other one by an address of its own, so that the way between two can be told from all others. */
const addressOf = (from: number, to: number): string => (from === to ? '127.0.0.1' : `127.1.${from}.${to}`);

interface Way {
  readonly from: number;
  readonly to: number;
  readonly server: Server;
  /** Both ends of each connection. */
  readonly sockets: Set<Socket>;
}

/** What lies between the brokers of a cluster. Clients reach each broker past it. */
export class BrokerNetwork {
  private readonly ports = new Map<number, BrokerPorts>();
  private readonly ways: Way[] = [];
  private readonly isolated = new Set<number>();

  /** Both ways between this broker and those that are there. */
  async add(id: number, ports: BrokerPorts): Promise<void> {
    const others = [...this.ports];
    this.ports.set(id, ports);
    for (const [other, itsPorts] of others) {
      for (const port of [ports.internal, ports.controller]) await this.open(other, id, port);
      for (const port of [itsPorts.internal, itsPorts.controller]) await this.open(id, other, port);
    }
  }

  /** A hosts file for a broker, with those up to `last`, also those that are to come. */
  hostsOf(id: number, last: number): string {
    const brokers = Array.from({ length: last }, (_, index) => index + 1);
    return [
      '127.0.0.1 localhost',
      ...brokers.map((other) => `${addressOf(id, other)} ${hostOf(other)}`),
    ].join('\n');
  }

  /** From here on nothing gets through between this broker and the others, and no connection ends. */
  isolate(id: number): void {
    this.isolated.add(id);
    for (const way of this.ways) this.apply(way);
  }

  /** What waited goes on. */
  reconnect(id: number): void {
    this.isolated.delete(id);
    for (const way of this.ways) this.apply(way);
  }

  async close(): Promise<void> {
    await Promise.all(
      this.ways.map(async ({ server, sockets }) => {
        const closed = once(server, 'close');
        server.close();
        for (const socket of sockets) socket.destroy();
        await closed;
      }),
    );
  }

  private apply(way: Way): void {
    const isCut = this.isCut(way);
    for (const socket of way.sockets)
      if (isCut) socket.pause();
      else socket.resume();
  }

  private isCut({ from, to }: Way): boolean {
    return this.isolated.has(from) || this.isolated.has(to);
  }

  private async open(from: number, to: number, port: number): Promise<void> {
    const way: Way = {
      from,
      to,
      server: createServer((socket) => this.carry(way, socket, port)),
      sockets: new Set(),
    };
    this.ways.push(way);
    way.server.listen(port, addressOf(from, to));
    await once(way.server, 'listening');
  }

  private carry(way: Way, near: Socket, port: number): void {
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      way.sockets.add(one);
      one
        .on('error', () => undefined)
        .once('close', () => {
          way.sockets.delete(one);
          other.destroy();
        });
      one.on('data', (bytes) => void other.write(bytes));
    }
    if (this.isCut(way)) for (const socket of [near, far]) socket.pause();
  }
}
