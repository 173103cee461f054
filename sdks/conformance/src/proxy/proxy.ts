import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Unit } from './frameReader.js';
import { reset } from './reset.js';
import { type Fault, Faults } from './faults.js';
import { Passage } from './passage.js';
import type { Direction } from './way.js';

/** How new connections are refused. */
export type Refusal =
  /** Reset. */
  | 'reset'
  /** Accepted, and never answered. */
  | 'stall'
  /** The status of an answer to the handshake. */
  | number;

export interface Passed extends Pick<Unit, 'name' | 'content'> {
  readonly to: Direction;
}

export interface ProxyEvents {
  /** Of all that passes or happens, for the transcript. */
  onNote(note: string): void;
}

/** Between one client and a server: carries its connections, and does to them what a scenario says. */
export class Proxy {
  readonly faults = new Faults();
  /** What has come, in order, and what of it has passed. */
  readonly arrived: Passed[] = [];
  readonly passed: Passed[] = [];
  /** How many connections have been tried. */
  tried = 0;
  private readonly server: Server;
  private readonly port: () => number;
  private readonly events: ProxyEvents;
  private readonly passages = new Set<Passage>();
  private readonly refusedSockets = new Set<Socket>();
  private refusal: Refusal | undefined;
  private refusals = 0;
  private delayMs = 0;

  private constructor(port: () => number, events: ProxyEvents) {
    this.port = port;
    this.events = events;
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
  }

  /** `port` of the server is asked for at each connection. */
  static async open(port: () => number, events: ProxyEvents): Promise<Proxy> {
    const proxy = new Proxy(port, events);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}/ws`;
  }

  /** Ends the connections; at one end alone, the other one notices when what is held has passed. */
  cut(side?: Direction): void {
    this.events.onNote(`cut ${side ?? 'both'}`);
    for (const passage of this.passages) passage.cut(side);
  }

  /** The connections stay, and nothing passes any more. */
  lose(): void {
    this.events.onNote('lose');
    for (const passage of this.passages) passage.lose();
  }

  hold(to?: Direction): void {
    this.events.onNote(`hold ${to ?? 'both'}`);
    for (const passage of this.passages) passage.hold(to);
  }

  release(): void {
    this.events.onNote('release');
    for (const passage of this.passages) passage.release();
  }

  delay(ms: number): void {
    this.delayMs = ms;
  }

  /** Refuses new connections, so many of them or until told. */
  refuse(refusal: Refusal, times = Infinity): void {
    [this.refusal, this.refusals] = [refusal, times];
  }

  acceptAgain(): void {
    this.refusals = 0;
    for (const socket of this.refusedSockets) socket.destroy();
  }

  addFault(fault: Fault): void {
    this.faults.add(fault);
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const passage of this.passages) passage.cut();
    for (const socket of this.refusedSockets) socket.destroy();
    await closed;
  }

  private accept(socket: Socket): void {
    this.tried += 1;
    socket.on('error', () => undefined);
    if (this.refusals > 0 && this.refusal !== undefined) return this.turnAway(socket, this.refusal);
    this.events.onNote(`connection ${this.tried}`);
    const passage: Passage = new Passage(socket, this.port(), {
      delayMs: () => this.delayMs,
      onArrival: (to, { name, content }) => void this.arrived.push({ to, name, content }),
      judge: (to, unit) => this.judge(to, unit),
      onEnd: () => void this.passages.delete(passage),
    });
    this.passages.add(passage);
  }

  private turnAway(socket: Socket, refusal: Refusal): void {
    this.refusals -= 1;
    this.events.onNote(`connection ${this.tried} refused: ${refusal}`);
    this.refusedSockets.add(socket);
    socket.once('close', () => this.refusedSockets.delete(socket)).resume();
    if (refusal === 'reset') reset(socket);
    else if (refusal !== 'stall')
      socket.end(`HTTP/1.1 ${refusal} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }

  private judge(to: Direction, unit: Unit) {
    const verdict = this.faults.judge(to, unit);
    const { name, content } = unit;
    if (verdict !== 'cutBefore' && verdict !== 'hold') this.passed.push({ to, name, content });
    const what = content === undefined ? name : JSON.stringify(content, writable).slice(0, 300);
    this.events.onNote(`${to === 'server' ? '>' : '<'} ${what}${verdict === 'pass' ? '' : ` [${verdict}]`}`);
    return verdict;
  }
}

const writable = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value}` : value instanceof Uint8Array ? `${value.length} bytes` : value;
