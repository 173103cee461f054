import { Buffer } from 'node:buffer';
import { PresenceBoard } from '../../src/presence/presenceBoard.js';
import type { Transition } from '../../src/presence/presenceTable.js';
import type { ManualClock } from '@roomwire/testing/fakes/manualClock';
import type { Manner } from './manner.js';
import type { BusPort, SimulatedBus } from './simulatedBus.js';
import { longestWaits } from './longestWaits.js';
import { silentLogger } from '@roomwire/testing/fakes/loggers';

/** Who is where with what, as text that can be compared. */
export type Shown = Readonly<Record<string, string>>;

/** The presence of a gateway without its sockets, on a simulated bus and with a clock of its own. */
export class PresenceNode {
  readonly gatewayId: string;
  readonly port: BusPort;
  readonly board: PresenceBoard;
  readonly clock: ManualClock;
  /** What its clients have been told, applied to what they knew. */
  told: Record<string, string> = {};
  /** Events that did not fit to what was known. */
  readonly oddities: Transition[] = [];
  readonly events: Transition[] = [];
  /** Connections whose presence was too much. */
  readonly gaveWay: number[] = [];

  constructor(
    gatewayId: string,
    bus: SimulatedBus,
    clock: ManualClock,
    answersMs = 0,
    memoryBytes = 1e9,
    manner?: Manner,
  ) {
    this.gatewayId = gatewayId;
    this.port = bus.port(manner);
    this.clock = clock;
    this.board = new PresenceBoard(
      {
        gatewayId,
        bus: this.port,
        clock,
        random: longestWaits,
        logger: silentLogger,
        beatMs: 3_000,
        silenceMs: 12_000,
        answersMs,
        returnMs: 1,
        presenceMemoryBytes: memoryBytes,
        connections: () => ({}),
        answers: [],
        leases: { onNews: () => undefined, onGone: () => undefined },
      },
      {
        onTransition: (transition) => this.follow(transition),
        onOwnPresence: () => undefined,
        onGivingWay: (connection) => this.gaveWay.push(connection),
      },
    );
  }

  shown(rooms: readonly string[]): Shown {
    return Object.fromEntries(
      rooms.flatMap((room) =>
        this.board
          .entries(room)
          .map(({ actorTokenId, presence }) => [`${room} ${actorTokenId}`, textOf(presence)] as const),
      ),
    );
  }

  private follow(transition: Transition): void {
    this.events.push(transition);
    const { room, actorTokenId, event, presence } = transition;
    const key = `${room} ${actorTokenId}`;
    if ((event === 'join') === key in this.told) this.oddities.push(transition);
    if (event === 'leave') delete this.told[key];
    else this.told[key] = textOf(presence as Uint8Array);
  }
}

export const textOf = (presence: Uint8Array): string => Buffer.from(presence).toString('hex');
