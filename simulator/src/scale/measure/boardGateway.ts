import { ConnectionLimit } from '@roomwire/gateway/limits/connectionLimit';
import { Leases } from '@roomwire/gateway/limits/leases';
import type { LeaseOutcome } from '@roomwire/gateway/limits/leaseTerms';
import { Plans } from '@roomwire/gateway/limits/plans';
import { defaultOptions } from '@roomwire/gateway/options';
import { PresenceBoard } from '@roomwire/gateway/presence/presenceBoard';
import { ticksPerBeat } from '@roomwire/gateway/presence/peers';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { seededChance } from '@roomwire/testing/run/seededChance';
import type { VirtualTime } from '../../time/virtualTime.js';
import { actorId, gatewayIdOf, roomName } from '../model/estate.js';
import { behaviour } from '../model/load.js';
import type { MeteredBus } from '../wire/meteredBus.js';

const presence = new Uint8Array(behaviour.presenceBytes);

/** The parts of a gateway that talk to all others: beats, presence with its repair, and leases on connections. */
export class BoardGateway {
  readonly board: PresenceBoard;
  private readonly leases: Leases;
  private readonly limit: ConnectionLimit;
  private readonly plans = new Plans();
  /** Connections by organization. */
  private readonly connections = new Map<string, number>();
  private timers: readonly NodeJS.Timeout[] = [];

  constructor(gateway: number, time: VirtualTime, bus: MeteredBus) {
    const gatewayId = gatewayIdOf(gateway);
    const clock = { now: () => time.now, monotonic: () => time.now };
    const chance = seededChance(gateway);
    const { beatMs, silenceMs, answersMs, returnMs, presenceMemoryBytes } = defaultOptions;
    const options = { beatMs, silenceMs, answersMs, returnMs, presenceMemoryBytes };
    this.board = new PresenceBoard(
      {
        ...{ gatewayId, bus: bus.port, clock, logger: silentLogger, ...options },
        random: { bytes: (length) => Uint8Array.from({ length }, () => chance.below(256)) },
        // What all of them are is measured by itself: see `measureBeats`.
        connections: () => ({}),
        answers: [],
        leases: {
          onNews: (news) => this.leases.onNews(news),
          onGone: (gone) => this.leases.onGone(gone),
        },
      },
      { onTransition: nothing, onOwnPresence: nothing, onGivingWay: nothing },
    );
    const { peers } = this.board;
    this.leases = new Leases({
      ...{ gatewayId, clock, cluster: peers },
      waits: { returnMs, answerMs: 1_000, restMs: 100 },
      ready: this.board.ready,
      send: (news) => peers.send(news),
      termsOf: (key) => this.limit.termsOf(key),
    });
    this.limit = new ConnectionLimit({
      ...{ gatewayId, plans: this.plans, bus: bus.port, leases: this.leases },
      connections: {
        organizationIds: () => [...this.connections.keys()],
        countOf: (organizationId) => this.connections.get(organizationId) ?? 0,
        closeNewest: nothing,
      },
      reports: () => peers.reports,
    });
  }

  /** It has had connections for long. To be called before the start, so that the hellos of the others are news of them. */
  has(organizationId: string, connections: number, limit: number): void {
    this.allow(organizationId, limit);
    this.connections.set(organizationId, connections);
    const key = `connections/${organizationId}`;
    const terms = this.limit.termsOf(key);
    if (terms) this.leases.of(key, () => terms);
  }

  async start(): Promise<void> {
    await this.board.start();
    const { beatMs } = defaultOptions;
    this.timers = [
      setInterval(() => this.board.peers.tick(), beatMs / ticksPerBeat),
      setInterval(() => this.leases.beat(), beatMs),
    ];
  }

  async connect(organizationId: string, limit: number): Promise<LeaseOutcome> {
    this.allow(organizationId, limit);
    const outcome = await this.limit.takePlace(organizationId);
    this.limit.returnPlace(organizationId);
    if (outcome === 'taken')
      this.connections.set(organizationId, (this.connections.get(organizationId) ?? 0) + 1);
    return outcome;
  }

  disconnect(organizationId: string): void {
    const left = (this.connections.get(organizationId) ?? 0) - 1;
    if (left > 0) this.connections.set(organizationId, left);
    else this.connections.delete(organizationId);
  }

  enter(connection: number, project: number, room: number): Promise<boolean> {
    const actorTokenId = actorId(connection);
    return this.board.announce({ connection, room: roomName(project, room), actorTokenId, presence });
  }

  leave(connection: number): Promise<void> {
    return this.board.withdraw(connection);
  }

  /** As who authenticates has read it. */
  private allow(organizationId: string, maxConnections: number): void {
    this.plans.read(organizationId, { maxApps: null, monthlyMessages: null, maxConnections });
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }
}

const nothing = (): void => undefined;
