import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { PresenceBoard } from '../../src/presence/presenceBoard.js';
import { CountingBus } from './countingBus.js';
import { longestWaits } from './longestWaits.js';
import type { Manner } from './manner.js';

const emptyMap = Uint8Array.of(0x80);

/** Gateways without sockets, and whoever is present on them, in rooms that all gateways share. */
export class PresenceCrowd {
  readonly bus = new CountingBus();
  readonly boards: PresenceBoard[] = [];
  private readonly clock = new ManualClock();
  private readonly rooms: readonly string[];

  constructor(rooms: number) {
    this.rooms = Array.from({ length: rooms }, (_, room) => `project/app/_/room-${room}`);
  }

  /** Its id is its place in the list. */
  async start(manner?: Manner): Promise<PresenceBoard> {
    const board = new PresenceBoard(
      {
        gatewayId: `${this.boards.length}`,
        bus: this.bus.port(manner),
        clock: this.clock,
        random: longestWaits,
        logger: silentLogger,
        ...{ beatMs: 3_000, silenceMs: 12_000, answersMs: 0, returnMs: 1, presenceMemoryBytes: 1e9 },
        connections: () => ({}),
        answers: [],
        leases: { onNews: () => undefined, onGone: () => undefined },
      },
      { onTransition: () => undefined, onOwnPresence: () => undefined, onGivingWay: () => undefined },
    );
    this.boards.push(board);
    await board.start();
    return board;
  }

  async startMany(gateways: number, manner?: Manner): Promise<void> {
    for (let gateway = 0; gateway < gateways; gateway++) await this.start(manner);
  }

  /** Connections from `first` on, one after the other to each of the gateways and into each of the rooms. */
  async enter(connections: number, first = 0): Promise<void> {
    for (let connection = first; connection < first + connections; connection++) {
      const board = this.boards[connection % this.boards.length] as PresenceBoard;
      const room = this.rooms[Math.floor(connection / this.boards.length) % this.rooms.length] as string;
      await board.announce({ connection, room, actorTokenId: `actor-${connection}`, presence: emptyMap });
    }
  }

  /** All gateways beat. */
  async seconds(count: number): Promise<void> {
    for (let second = 0; second < count; second++) {
      this.clock.pass(1_000);
      for (const board of this.boards) board.peers.tick();
      await turn();
    }
  }

  /** Those whom each gateway knows. */
  get counts(): readonly number[] {
    return this.boards.map((board) => board.count(() => false));
  }
}
