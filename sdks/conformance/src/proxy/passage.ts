import { connect, type Socket } from 'node:net';
import type { Unit } from './frameReader.js';
import { reset } from './reset.js';
import { type Direction, type Verdict, Way } from './way.js';

export interface PassageContext {
  delayMs(): number;
  onArrival(to: Direction, unit: Unit): void;
  judge(to: Direction, unit: Unit): Verdict;
  /** Both ends are gone. */
  onEnd(): void;
}

/** One connection of a client, and the one to the server that belongs to it. */
export class Passage {
  private readonly ends: Readonly<Record<Direction, Socket>>;
  private readonly ways: Readonly<Record<Direction, Way>>;

  constructor(client: Socket, port: number, context: PassageContext) {
    const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [client, server]) socket.setNoDelay().on('error', () => undefined);
    this.ends = { client, server };
    const way = (to: Direction, from: Socket): Way =>
      new Way(from, this.ends[to], {
        to,
        delayMs: () => context.delayMs(),
        onArrival: (unit) => context.onArrival(to, unit),
        judge: (unit) => context.judge(to, unit),
        cut: () => this.cut(),
        lose: () => this.lose(),
      });
    this.ways = { server: way('server', client), client: way('client', server) };
    let open = 2;
    for (const socket of [client, server]) socket.once('close', () => --open === 0 && context.onEnd());
  }

  cut(side?: Direction): void {
    if (side !== 'server') reset(this.ends.client);
    if (side !== 'client') reset(this.ends.server);
  }

  hold(to?: Direction): void {
    if (to !== 'client') this.ways.server.hold();
    if (to !== 'server') this.ways.client.hold();
  }

  release(): void {
    this.ways.server.release();
    this.ways.client.release();
  }

  lose(): void {
    this.ways.server.lose();
    this.ways.client.lose();
  }
}
