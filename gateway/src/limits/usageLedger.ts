import { monthAt, type Month } from '@roomwire/shared/domain/month';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageCount, UsageStore } from '@roomwire/shared/ports/usageStore';
import type { Author } from '../access/client.js';
import type { LeaseCluster, LeaseTerms } from './leaseTerms.js';
import type { Leases } from './leases.js';
import type { Plans } from './plans.js';
import { projectOfLease, ProjectUsage, writerOf } from './projectUsage.js';
import { UsagePace } from './usagePace.js';

export interface UsageLedgerDeps {
  /** Names this process in the store. */
  readonly gatewayId: string;
  readonly usage: Pick<UsageStore, 'noteUsage' | 'mergeUsage' | 'usageByWriter'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly plans: Pick<Plans, 'of'>;
  readonly leases: Pick<Leases, 'of' | 'forget'>;
  readonly cluster: Pick<LeaseCluster, 'others' | 'takesLeases'>;
  /** Is told of each publish that the bus has accepted. */
  readonly accepted: (projectId: string) => void;
}

/**
 * [WS-PUB-9] What the projects publish in this month. Counted in memory; rounds, one at a time, store what has changed and read
 * what others have stored where that is needed. How much of a quota each live gateway may use is in its leases; those that are
 * gone have no lease.
 */
export class UsageLedger {
  private readonly deps: UsageLedgerDeps;
  private readonly pace = new UsagePace();
  private month: Month;
  /** Renewed with each month, so that a month that recurs after the clock was set back gets a separate count. */
  private writer: string;
  private turns = 0;
  private usages = new Map<string, ProjectUsage>();
  /** Earlier months, until they are stored. */
  private former: ProjectUsage[] = [];
  private running: Promise<void> | undefined;
  private following: Promise<void> | undefined;

  constructor(deps: UsageLedgerDeps) {
    this.deps = deps;
    this.month = monthAt(deps.clock.now());
    this.writer = writerOf(deps.gatewayId, this.turns);
  }

  of({ projectId, organizationId }: Pick<Author, 'projectId' | 'organizationId'>): ProjectUsage {
    const now = this.deps.clock.now();
    if (now >= this.month.until || now < this.month.from) this.turnTo(monthAt(now));
    let usage = this.usages.get(projectId);
    if (usage === undefined) {
      const { plans, leases, cluster, accepted } = this.deps;
      const own = { projectId, month: this.month.name, writer: this.writer };
      const current = plans.of(organizationId);
      const read = (one: ProjectUsage) => this.read(one);
      usage = new ProjectUsage(own, { current, leases, others: () => cluster.others, read, accepted });
      this.usages.set(projectId, usage);
    }
    return usage;
  }

  /** Undefined for a lease on something else, and for what nobody has published here. */
  termsOf(key: string): LeaseTerms | undefined {
    const projectId = projectOfLease(key);
    const usage = projectId === undefined ? undefined : this.usages.get(projectId);
    return usage?.leaseKey === key ? usage : undefined;
  }

  /** Resolves when what others have stored for the project has been read, or cannot be. */
  read(usage: ProjectUsage): Promise<void> {
    usage.isWanted = true;
    return this.round();
  }

  /** Must be called once a second. Resolves after a round that began after the call. Never rejects. */
  tick(): Promise<void> {
    this.pace.tick(this.deps.cluster);
    return this.round();
  }

  /** Stores everything, for the others to read when this gateway has gone: no count waits any more. */
  storeAll(): Promise<void> {
    this.pace.hurry();
    return this.round();
  }

  /** Stores the remaining counts once; those that cannot be stored are lost. Nothing is counted after it. */
  async close(): Promise<void> {
    await this.storeAll();
    await this.running;
    await this.attempt(() => this.merge([...this.former, ...this.usages.values()]));
  }

  private round(): Promise<void> {
    if (this.running === undefined) {
      this.running = this.exchange().finally(() => (this.running = undefined));
      return this.running;
    }
    this.following ??= this.running.then(() => {
      this.following = undefined;
      return this.round();
    });
    return this.following;
  }

  private turnTo(month: Month): void {
    for (const { leaseKey } of this.usages.values()) this.deps.leases.forget(leaseKey);
    this.former.push(...this.usages.values());
    this.usages = new Map();
    this.month = month;
    this.writer = writerOf(this.deps.gatewayId, ++this.turns);
  }

  private async exchange(): Promise<void> {
    const toRead = [...this.usages.values()].filter((usage) => this.pace.mustRead(usage));
    // What is wanted from now on is for the next round.
    for (const usage of toRead) usage.isWanted = usage.isActive = false;
    const isRead = await this.attempt(async () => {
      await this.write();
      await this.readOthers(toRead);
    });
    for (const usage of toRead) {
      usage.isKnown = true;
      if (!isRead) usage.isWanted = true;
    }
  }

  /** Whether it has succeeded. */
  private async attempt(exchange: () => Promise<void>): Promise<boolean> {
    try {
      await exchange();
      return true;
    } catch (error) {
      // An unavailable engine is logged by its adapter.
      if (!(error instanceof EngineUnavailable))
        this.deps.logger.warn('The usage of projects could not be exchanged', { error });
      return false;
    }
  }

  private async write(): Promise<void> {
    const { pace } = this;
    const due = [...this.former, ...this.usages.values()].filter((usage) => pace.mustNote(usage));
    for (const [writer, usages] of byWriter(due)) {
      const counts = usages.map((usage) => countOf(usage, usage.accepted));
      await this.deps.usage.noteUsage(writer, counts);
      usages.forEach((usage, index) => {
        usage.noted = counts[index]?.messages ?? 0;
        usage.notedAt = pace.now;
      });
    }
    await this.merge(this.former);
    this.former = this.former.filter(({ isSettled }) => !isSettled);
  }

  /** Their writers never note the settled ones again. */
  private async merge(usages: readonly ProjectUsage[]): Promise<void> {
    const ended = usages.filter(({ isSettled, noted }) => isSettled && noted > 0);
    for (const [writer, of] of byWriter(ended))
      await this.deps.usage.mergeUsage(
        writer,
        of.map((usage) => countOf(usage, usage.noted)),
      );
  }

  private async readOthers(usages: readonly ProjectUsage[]): Promise<void> {
    if (usages.length === 0) return;
    const { month } = usages[0] as ProjectUsage;
    const projectIds = usages.map(({ projectId }) => projectId);
    const { now } = this.pace;
    const stored = await this.deps.usage.usageByWriter(projectIds, month);
    for (const usage of usages) {
      usage.storedIs(stored.get(usage.projectId) ?? new Map());
      usage.readAt = now;
    }
  }
}

const countOf = ({ projectId, month }: ProjectUsage, messages: number): MessageCount => ({
  projectId,
  month,
  messages,
});

const byWriter = (usages: readonly ProjectUsage[]): readonly (readonly [string, readonly ProjectUsage[]])[] =>
  [...new Set(usages.map(({ writer }) => writer))].map((writer) => [
    writer,
    usages.filter((usage) => usage.writer === writer),
  ]);
