import { type Plan, unlimitedPlan } from '@roomwire/shared/domain/organization';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import type { ManualClock } from '@roomwire/testing/fakes/manualClock';
import type { Lease } from '../../src/limits/lease.js';
import type { Leases } from '../../src/limits/leases.js';
import { Plans } from '../../src/limits/plans.js';
import type { ProjectUsage } from '../../src/limits/projectUsage.js';
import { UsageLedger } from '../../src/limits/usageLedger.js';

/** What one ledger has asked of the store. */
export interface Asked {
  writes: number;
  reads: number;
}

/** What the store does with a call: it may do it and fail to say so. */
export type Manner = 'answers' | 'refuses' | 'loses the answer';

/** A gateway that counts one project. All that it asks for is admitted. */
export class LedgerNode {
  readonly gatewayId: string;
  readonly ledger: UsageLedger;
  readonly asked: Asked = { writes: 0, reads: 0 };
  /** Whether it takes leases. */
  takesLeases = true;
  private readonly author: { readonly projectId: string; readonly organizationId: string };

  constructor(gatewayId: string, projectId: string, world: LedgerWorld) {
    this.gatewayId = gatewayId;
    this.author = { projectId, organizationId: 'o' };
    this.ledger = new UsageLedger({
      ...{ gatewayId, clock: world.clock, logger: silentLogger, plans: world.plans },
      usage: this.watched(world),
      leases: { of: (_, terms) => admitting(terms()), forget: () => undefined },
      cluster: {
        get others() {
          return world.othersOf(gatewayId);
        },
        takesLeases: (other) => world.nodes.get(other)?.takesLeases === true,
      },
      accepted: () => undefined,
    });
  }

  get usage(): ProjectUsage {
    return this.ledger.of(this.author);
  }

  async publish(messages = 1): Promise<void> {
    const { usage } = this;
    if (usage.mustBeRead) await this.ledger.read(usage);
    for (let n = 0; n < messages; n++) {
      await usage.admit();
      usage.end(true);
    }
  }

  private watched(world: LedgerWorld): Pick<UsageStore, 'noteUsage' | 'mergeUsage' | 'usageByWriter'> {
    const { store } = world;
    const call = async <T>(act: () => Promise<T>): Promise<T> => {
      const manner = world.manner();
      if (manner === 'refuses') throw new EngineUnavailable('read models');
      const result = await act();
      if (manner === 'loses the answer') throw new EngineUnavailable('read models');
      return result;
    };
    return {
      noteUsage: (...args) => {
        this.asked.writes++;
        return call(() => store.noteUsage(...args));
      },
      mergeUsage: (...args) => call(() => store.mergeUsage(...args)),
      usageByWriter: (...args) => {
        this.asked.reads++;
        return call(() => store.usageByWriter(...args));
      },
    };
  }
}

const admitting = (terms: ReturnType<Parameters<Leases['of']>[1]>): Lease => {
  const take = (): 'taken' => {
    terms.use();
    return 'taken';
  };
  return { take } as unknown as Lease;
};

/** Gateways that count one project in one store. */
export class LedgerWorld {
  readonly nodes = new Map<string, LedgerNode>();
  readonly plans = new Plans();
  readonly store: UsageStore;
  readonly clock: ManualClock;
  manner: () => Manner = () => 'answers';
  private readonly projectId: string;
  private others = new Map<string, readonly string[]>();
  private starts = 0;

  constructor(
    store: UsageStore,
    clock: ManualClock,
    { projectId, quota }: { readonly projectId: string; readonly quota: number | null },
  ) {
    this.store = store;
    this.clock = clock;
    this.projectId = projectId;
    const plan: Plan = { ...unlimitedPlan, monthlyMessages: quota };
    this.plans.read('o', plan);
  }

  start(): LedgerNode {
    const node = new LedgerNode(`gateway-${++this.starts}`, this.projectId, this);
    this.nodes.set(node.gatewayId, node);
    this.others = new Map();
    return node;
  }

  startAll(gateways: number): readonly LedgerNode[] {
    return Array.from({ length: gateways }, () => this.start());
  }

  /** The others no longer see it. */
  gone(node: LedgerNode): void {
    this.nodes.delete(node.gatewayId);
    this.others = new Map();
  }

  /** The same list until one comes or goes. */
  othersOf(gatewayId: string): readonly string[] {
    const known = this.others.get(gatewayId) ?? [...this.nodes.keys()].filter((id) => id !== gatewayId);
    this.others.set(gatewayId, known);
    return known;
  }

  async tick(times = 1): Promise<void> {
    for (let n = 0; n < times; n++)
      await Promise.all([...this.nodes.values()].map(({ ledger }) => ledger.tick()));
  }

  /** What all have stored. */
  async stored(month = '2026-01'): Promise<number> {
    return (await this.store.usage([this.projectId], month)).get(this.projectId) ?? 0;
  }
}
