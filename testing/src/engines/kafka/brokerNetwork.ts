import { CuttableWay } from '../cuttableWay.js';

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
  readonly carrier: CuttableWay;
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
    await Promise.all(this.ways.map(({ carrier }) => carrier.close()));
  }

  private apply({ from, to, carrier }: Way): void {
    if (this.isolated.has(from) || this.isolated.has(to)) carrier.cut();
    else carrier.heal();
  }

  private async open(from: number, to: number, port: number): Promise<void> {
    const carrier = await CuttableWay.open({ host: addressOf(from, to), port, to: port });
    const way = { from, to, carrier };
    this.ways.push(way);
    this.apply(way);
  }
}
