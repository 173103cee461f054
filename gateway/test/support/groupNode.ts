import { liveMessage } from '@roomwire/testing/builders/liveMessage';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { roomOfTopic } from '@roomwire/shared/domain/topic';
import { roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import { GroupMemory } from '../../src/groups/groupMemory.js';
import type { MemberReplay, Membership } from '../../src/groups/membership.js';
import { WorkerGroups } from '../../src/groups/workerGroups.js';
import { createMetrics } from '../../src/metrics.js';
import { PresenceBoard } from '../../src/presence/presenceBoard.js';
import type { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { longestWaits } from './longestWaits.js';
import type { BusPort, SimulatedBus } from './simulatedBus.js';
import { silentLogger } from '@roomwire/testing/fakes/loggers';

export const room = 'p/app/_/room';
export const topic = `${room}/work`;

/** A member, and what it has been given. */
export interface Worker {
  readonly node: GroupNode;
  readonly actorTokenId: string;
  readonly acks: boolean;
  readonly membership: Membership;
  readonly got: string[];
  /** What it has not acknowledged. */
  readonly open: Set<string>;
  hasEntered: boolean;
  isOver: boolean;
}

export interface WorkerWish {
  readonly actorTokenId: string;
  readonly acks?: boolean;
  readonly filters?: readonly FilterEntry[];
  readonly own?: boolean;
  readonly connection?: string;
  readonly group?: string;
  readonly topic?: string;
}

const noReplay: MemberReplay = {
  limit: () => undefined,
  begin: () => undefined,
  give: () => undefined,
  end: () => undefined,
  waitForCapacity: async () => undefined,
};

/** The worker groups of a gateway without its sockets, on a simulated bus and with a clock of its own. */
export class GroupNode {
  readonly port: BusPort;
  readonly groups: WorkerGroups;
  readonly board: PresenceBoard;
  readonly metrics = createMetrics();
  readonly memory: GroupMemory;
  readonly workers = new Set<Worker>();
  /** The acknowledged messages, with repetitions. */
  readonly acked: string[] = [];

  constructor(
    gatewayId: string,
    bus: SimulatedBus,
    clock: ManualClock,
    bounds: { messages: number; bytes: number },
    memoryBytes = Number.POSITIVE_INFINITY,
  ) {
    this.port = bus.port();
    const { metrics } = this;
    this.memory = new GroupMemory({ bytes: memoryBytes, metrics, limits: { reached: () => undefined } });
    const common = { gatewayId, bus: this.port, clock, logger: silentLogger, silenceMs: 12_000 };
    this.board = new PresenceBoard(
      {
        ...common,
        random: longestWaits,
        beatMs: 3_000,
        answersMs: 0,
        returnMs: 1,
        presenceMemoryBytes: 1e9,
        connections: () => ({}),
        answers: [],
        leases: { onNews: () => undefined, onGone: () => undefined },
      },
      {
        onTransition: (transition) => this.groups.onTransition(transition),
        onOwnPresence: (connection, place) => this.groups.onOwnPresence(connection, place),
        onGivingWay: () => undefined,
      },
    );
    this.groups = new WorkerGroups({
      ...common,
      metrics: this.metrics,
      board: this.board,
      bounds,
      memory: this.memory,
      ...{ messageStore: undefined, groupStore: undefined },
      ...{ retryMs: 1, closeMs: 0 },
      knowsOwn: () => true,
      subscribe: async () => undefined,
      unsubscribe: () => undefined,
    });
  }

  async start(): Promise<void> {
    await this.port.read(roomRecords, { interest: 'all' }, (record) => this.groups.take(record));
    await this.board.start();
  }

  enter(wish: WorkerWish): Worker {
    const { actorTokenId, acks = false, filters, group = 'g', topic: place = topic } = wish;
    const { own = false, connection } = wish;
    const worker: Worker = {
      ...{ node: this, actorTokenId, acks, got: [], open: new Set(), hasEntered: false, isOver: false },
      membership: this.groups.join({
        ...{
          room: roomOfTopic(place),
          topic: place,
          group,
          actorTokenId,
          filters,
          own,
          connection: connection ?? `${actorTokenId}.1`,
          acks,
          isPersistent: false,
          place: '',
          replay: noReplay,
        },
        entered: () => void (worker.hasEntered = true),
        deliver: ({ id }) => this.given(worker, id),
        isReachable: () => true,
      }),
    };
    worker.membership.release();
    worker.membership.join().catch(() => (worker.isOver = true));
    this.workers.add(worker);
    return worker;
  }

  ack(worker: Worker): void {
    const ids = [...worker.open];
    worker.open.clear();
    this.acked.push(...ids);
    if (ids.length > 0) worker.membership.acknowledge(ids);
  }

  leave(worker: Worker): void {
    worker.isOver = true;
    this.workers.delete(worker);
    worker.membership.leave();
  }

  second(): void {
    if (this.port.isFrozen) return;
    this.board.peers.tick();
    this.groups.tick();
  }

  private given(worker: Worker, id: string): void {
    if (worker.isOver) throw new Error('Given to a worker that has left');
    worker.got.push(id);
    if (worker.acks) worker.open.add(id);
    else this.acked.push(id);
  }
}

/** No bound on what groups hold. */
export const unlimitedMemory = (): GroupMemory =>
  new GroupMemory({
    bytes: Number.POSITIVE_INFINITY,
    metrics: { groupMessagesDropped: 0 },
    limits: { reached: () => undefined },
  });

export const messageOf = (id: string, fields: Partial<LiveMessage> = {}): LiveMessage =>
  liveMessage({ ...{ id, room, topic, projectId: 'p', publisher: 'nobody' }, ...fields });
