import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { LeaseStatement } from '@roomwire/shared/wire/bus/gatewayNews';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import type { LeaseOutcome, LeaseTerms, LeaseWaits } from '../../src/limits/leaseTerms.js';
import { Leases } from '../../src/limits/leases.js';
import { Peers, ticksPerBeat } from '../../src/presence/peers.js';
import { earlier } from './manner.js';
import { type BusPort, SimulatedBus } from './simulatedBus.js';

const key = 'connections/o';
const beatMs = 3_000;
const silenceMs = 12_000;

/** What is limited, the same for all gateways. */
interface Limit {
  most: number | null;
  /** What gateways that are gone have used for good. */
  usedUp: number;
}

interface LeaseNodeDeps {
  readonly gatewayId: string;
  readonly bus: SimulatedBus;
  readonly clock: Clock;
  readonly limit: Limit;
  readonly waits: LeaseWaits;
  readonly said: LeaseStatement[];
  readonly isEarlier: boolean;
}

/** A gateway that takes leases on one thing, on a simulated bus. */
export class LeaseNode implements LeaseTerms {
  readonly gatewayId: string;
  readonly port: BusPort;
  readonly peers: Peers;
  readonly leases: Leases;
  used = 0;
  /** As far as it has read it. */
  usedUp = 0;
  isReady!: () => void;
  isFreedAgain = true;
  private readonly limit: Limit;

  constructor({ gatewayId, bus, clock, limit, waits, said, isEarlier }: LeaseNodeDeps) {
    this.gatewayId = gatewayId;
    this.limit = limit;
    this.port = bus.port({
      ...(isEarlier && earlier),
      writes: (news) => {
        if (news.kind === 'leases') said.push(...news.statements);
        return isEarlier ? (earlier.writes?.(news) ?? news) : news;
      },
    });
    this.peers = new Peers({
      ...{ gatewayId, bus: this.port, clock, logger: silentLogger, beatMs, silenceMs },
      report: () => ({ connections: { o: this.used }, presenceSequence: 0, takesLeases: true }),
      listener: {
        onNews: (news) => this.leases.onNews(news),
        onGone: (gone) => this.leases.onGone(gone),
      },
    });
    this.leases = new Leases({
      ...{ gatewayId, clock, waits, cluster: this.peers },
      ready: new Promise((resolve) => (this.isReady = resolve)),
      send: (news) => this.peers.send(news),
      termsOf: () => this,
    });
  }

  take(): LeaseOutcome | Promise<LeaseOutcome> {
    return this.leases.of(key, () => this).take();
  }

  beat(): void {
    for (let tick = 0; tick < ticksPerBeat; tick++) this.peers.tick();
    this.leases.beat();
  }

  get most(): number | null {
    return this.limit.most;
  }

  use(): void {
    this.used++;
  }

  usedBy(gatewayId: string): number {
    return this.peers.reports.get(gatewayId)?.connections['o'] ?? 0;
  }

  async read(): Promise<void> {
    await turn();
    this.usedUp = this.limit.usedUp;
  }
}

/** Long enough never to be over in a test that is not about them. */
const longWaits: LeaseWaits = { returnMs: 60_000, answerMs: 60_000, restMs: 0 };

/** Gateways under one limit, and the bus between them. */
export class LeaseWorld {
  readonly clock = new ManualClock();
  readonly bus = new SimulatedBus();
  readonly limit: Limit;
  readonly nodes: LeaseNode[] = [];
  /** What all of them have said. */
  readonly said: LeaseStatement[] = [];
  private readonly waits: LeaseWaits;

  constructor(most: number, waits: Partial<LeaseWaits> = {}) {
    this.limit = { most, usedUp: 0 };
    this.waits = { ...longWaits, ...waits };
  }

  /** One that knows nobody yet. */
  async begin(isEarlier = false): Promise<LeaseNode> {
    const { bus, clock, limit, waits, said } = this;
    const gatewayId = `gateway-${this.nodes.length}`;
    const node = new LeaseNode({ gatewayId, bus, clock, limit, waits, said, isEarlier });
    this.nodes.push(node);
    await node.peers.listen();
    await node.peers.sendHello();
    return node;
  }

  /** One that knows the others. */
  async start(isEarlier = false): Promise<LeaseNode> {
    const node = await this.begin(isEarlier);
    await this.settle();
    await this.beat();
    node.isReady();
    await turn();
    return node;
  }

  async startAll(gateways: number): Promise<LeaseNode[]> {
    const nodes: LeaseNode[] = [];
    for (let gateway = 0; gateway < gateways; gateway++) nodes.push(await this.start());
    return nodes;
  }

  /** Everybody reads everything. */
  async settle(choose: () => number = () => 0): Promise<void> {
    await turn();
    while (this.bus.move(choose())) await turn();
  }

  async beat(): Promise<void> {
    for (const node of this.nodes) if (!node.port.isFrozen) node.beat();
    await this.settle();
  }

  /** Resolves with the outcome when the bus has carried what it takes. */
  async take(node: LeaseNode): Promise<LeaseOutcome> {
    const outcome = node.take();
    await this.settle();
    return outcome;
  }

  get used(): number {
    return this.nodes.reduce((sum, { used }) => sum + used, 0);
  }
}
