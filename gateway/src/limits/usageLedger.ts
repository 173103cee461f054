import { monthAt, type Month } from '@roomwire/shared/domain/month';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';
import type { Author } from '../access/client.js';
import type { LeaseOutcome, LeaseTerms } from './leaseTerms.js';
import type { Leases } from './leases.js';
import type { CurrentPlan, Plans } from './plans.js';

const keyPrefix = 'messages/';

/** What a usage needs of its ledger. */
interface UsageLinks {
  readonly current: CurrentPlan | undefined;
  readonly leases: Pick<Leases, 'of'>;
  /** The other live gateways; a new list whenever one comes or goes. */
  readonly others: () => readonly string[];
  readonly read: (usage: ProjectUsage) => Promise<void>;
  readonly accepted: (projectId: string) => void;
}

/** What a project has published in a month: counted here, plus the last known counts of other processes. */
export class ProjectUsage implements LeaseTerms {
  readonly projectId: string;
  readonly month: string;
  /** Its key in the store. */
  readonly writer: string;
  readonly leaseKey: string;
  /** Only what the bus has refused. */
  readonly isFreedAgain = false;
  /** Accepted here. */
  accepted = 0;
  /** The part of `accepted` that is known to be stored. */
  noted = 0;
  /** Whether reading earlier publishes has succeeded or failed. */
  isKnown = false;
  /** Whether there was a publish since the last round. */
  isActive = false;
  /** Admitted, and not accepted by the bus, which may still refuse them. */
  private underWay = 0;
  private stored: ReadonlyMap<string, number> = new Map();
  /** The sum over writers that are gone, and which gateways were there then. */
  private sumOfGone = { others: [] as readonly string[], messages: 0 };
  private readonly links: UsageLinks;

  constructor(
    { projectId, month, writer }: Pick<ProjectUsage, 'projectId' | 'month' | 'writer'>,
    links: UsageLinks,
  ) {
    this.projectId = projectId;
    this.month = month;
    this.writer = writer;
    this.leaseKey = leaseKeyOf(projectId, month);
    this.links = links;
  }

  /** The quota; null for none. */
  get most(): number | null {
    return this.links.current?.plan.monthlyMessages ?? null;
  }

  get used(): number {
    return this.accepted + this.underWay;
  }

  get usedUp(): number {
    const others = this.links.others();
    if (this.sumOfGone.others !== others) this.sumUp(others);
    return this.sumOfGone.messages;
  }

  get mustBeRead(): boolean {
    return !this.isKnown && this.most !== null;
  }

  /** Whether everything is stored and nothing is in flight. */
  get isSettled(): boolean {
    return this.underWay === 0 && this.noted === this.accepted;
  }

  /** Admits one more publish within the quota; `end` must be called for it. Synchronous unless other gateways have to be asked. */
  admit(): LeaseOutcome | Promise<LeaseOutcome> {
    if (this.most !== null) return this.links.leases.of(this.leaseKey, () => this).take();
    this.use();
    return 'taken';
  }

  use(): void {
    this.isActive = true;
    this.underWay++;
  }

  /** The bus has acknowledged or refused the publish. A refused one does not count. */
  end(isAccepted: boolean): void {
    this.underWay--;
    if (!isAccepted) return;
    this.accepted++;
    this.links.accepted(this.projectId);
  }

  usedBy(gatewayId: string): number {
    return sumWhere(this.stored, (writer) => gatewayOf(writer) === gatewayId);
  }

  read(): Promise<void> {
    return this.links.read(this);
  }

  /** What all writers have stored. */
  storedIs(stored: ReadonlyMap<string, number>): void {
    this.stored = stored;
    this.sumUp(this.links.others());
  }

  private sumUp(others: readonly string[]): void {
    const isGone = (writer: string) => writer !== this.writer && !others.includes(gatewayOf(writer));
    this.sumOfGone = { others, messages: sumWhere(this.stored, isGone) };
  }
}

const leaseKeyOf = (projectId: string, month: string): string => `${keyPrefix}${projectId}/${month}`;

/** The month may have been counted before by the same gateway, when the clock was set back. */
const writerOf = (gatewayId: string, turn: number): string => `${gatewayId}-${turn}`;

const gatewayOf = (writer: string): string => writer.slice(0, writer.lastIndexOf('-'));

const sumWhere = (counts: ReadonlyMap<string, number>, isCounted: (writer: string) => boolean): number => {
  let sum = 0;
  for (const [writer, messages] of counts) if (isCounted(writer)) sum += messages;
  return sum;
};

export interface UsageLedgerDeps {
  /** Names this process in the store. */
  readonly gatewayId: string;
  readonly usage: Pick<UsageStore, 'noteUsage' | 'mergeUsage' | 'usageByWriter'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly plans: Plans;
  readonly leases: Pick<Leases, 'of' | 'forget'>;
  /** The other live gateways; a new list whenever one comes or goes. */
  readonly others: () => readonly string[];
  /** Is told of each publish that the bus has accepted. */
  readonly accepted: (projectId: string) => void;
}

/** After this many rounds without a publish a project is no longer read. */
const roundsUntilIdle = 60;

/**
 * [WS-PUB-9] What the projects publish in this month. Counted in memory; rounds, one at a time, store what has changed and read
 * what others have stored. How much of a quota each live gateway may use is in its leases; those that are gone have no lease.
 */
export class UsageLedger {
  private readonly deps: UsageLedgerDeps;
  private month: Month;
  /** Renewed with each month, so that a month that recurs after the clock was set back gets a separate count. */
  private writer: string;
  private turns = 0;
  private usages = new Map<string, ProjectUsage>();
  /** Earlier months, until they are stored. */
  private former: ProjectUsage[] = [];
  /** Rounds since the last publish, of the projects that are read. */
  private readonly idleRounds = new Map<ProjectUsage, number>();
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
      const { plans, leases, others, accepted } = this.deps;
      const own = { projectId, month: this.month.name, writer: this.writer };
      const read = (one: ProjectUsage) => this.read(one);
      usage = new ProjectUsage(own, { current: plans.of(organizationId), leases, others, read, accepted });
      this.usages.set(projectId, usage);
    }
    return usage;
  }

  /** Undefined for a lease on something else, and for what nobody has published here. */
  termsOf(key: string): LeaseTerms | undefined {
    if (!key.startsWith(keyPrefix)) return undefined;
    const usage = this.usages.get(key.slice(keyPrefix.length, key.lastIndexOf('/')));
    return usage?.leaseKey === key ? usage : undefined;
  }

  /** Resolves when the earlier publishes of the project have been read, or cannot be. */
  read(usage: ProjectUsage): Promise<void> {
    usage.isActive = true;
    return this.round();
  }

  /** Resolves after a round that began after the call. Never rejects. */
  round(): Promise<void> {
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

  /** Stores the remaining counts once; those that cannot be stored are lost. Nothing is counted after it. */
  async close(): Promise<void> {
    await this.round();
    await this.running;
    await this.attempt(() => this.merge([...this.former, ...this.usages.values()]));
  }

  private turnTo(month: Month): void {
    for (const { leaseKey } of this.usages.values()) this.deps.leases.forget(leaseKey);
    this.former.push(...this.usages.values());
    this.usages = new Map();
    this.idleRounds.clear();
    this.month = month;
    this.writer = writerOf(this.deps.gatewayId, ++this.turns);
  }

  private async exchange(): Promise<void> {
    const read = this.toRead();
    await this.attempt(async () => {
      await this.write();
      await this.readOthers(read);
    });
    for (const usage of read) usage.isKnown = true;
  }

  private async attempt(exchange: () => Promise<void>): Promise<void> {
    try {
      await exchange();
    } catch (error) {
      // An unavailable engine is logged by its adapter.
      if (error instanceof EngineUnavailable) return;
      this.deps.logger.warn('The usage of projects could not be exchanged', { error });
    }
  }

  private async write(): Promise<void> {
    const all = [...this.former, ...this.usages.values()];
    const changed = all.filter(({ accepted, noted }) => accepted > noted);
    for (const [writer, usages] of byWriter(changed)) {
      const counts = usages.map(({ projectId, month, accepted: messages }) => ({
        projectId,
        month,
        messages,
      }));
      await this.deps.usage.noteUsage(writer, counts);
      usages.forEach((usage, index) => (usage.noted = counts[index]?.messages ?? 0));
    }
    await this.merge(this.former);
    this.former = this.former.filter(({ isSettled }) => !isSettled);
  }

  /** Their writers never note the settled ones again. */
  private async merge(usages: readonly ProjectUsage[]): Promise<void> {
    const ended = usages.filter(({ isSettled, noted }) => isSettled && noted > 0);
    for (const [writer, of] of byWriter(ended)) {
      const counts = of.map(({ projectId, month, noted: messages }) => ({ projectId, month, messages }));
      await this.deps.usage.mergeUsage(writer, counts);
    }
  }

  private async readOthers(read: readonly ProjectUsage[]): Promise<void> {
    if (read.length === 0) return;
    const { month } = read[0] as ProjectUsage;
    const projectIds = read.map(({ projectId }) => projectId);
    const stored = await this.deps.usage.usageByWriter(projectIds, month);
    for (const usage of read) usage.storedIs(stored.get(usage.projectId) ?? new Map());
  }

  /** Projects with a quota and recent publishes. */
  private toRead(): readonly ProjectUsage[] {
    for (const usage of this.usages.values()) {
      const idle = usage.isActive ? 0 : (this.idleRounds.get(usage) ?? roundsUntilIdle) + 1;
      usage.isActive = false;
      if (idle < roundsUntilIdle) this.idleRounds.set(usage, idle);
      else this.idleRounds.delete(usage);
    }
    return [...this.idleRounds.keys()].filter(({ most }) => most !== null);
  }
}

const byWriter = (usages: readonly ProjectUsage[]): readonly (readonly [string, readonly ProjectUsage[]])[] =>
  [...new Set(usages.map(({ writer }) => writer))].map((writer) => [
    writer,
    usages.filter((usage) => usage.writer === writer),
  ]);
