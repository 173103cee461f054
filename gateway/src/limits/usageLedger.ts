import { monthAt, type Month } from '@roomwire/shared/domain/month';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';
import type { Identity } from '../access/client.js';
import type { CurrentPlan, Plans } from './plans.js';

/** What a project has published in a month: counted here, plus the last known counts of other processes. */
export class ProjectUsage {
  readonly projectId: string;
  readonly month: string;
  /** Its key in the store. */
  readonly writer: string;
  /** Accepted here. */
  accepted = 0;
  /** The part of `accepted` that is known to be stored. */
  noted = 0;
  /** In flight to the bus, which may still refuse them. */
  underWay = 0;
  /** Accepted by other processes. */
  elsewhere = 0;
  /** Whether reading earlier publishes has succeeded or failed. */
  isKnown = false;
  /** Whether there was a publish since the last round. */
  isActive = false;
  private readonly current: CurrentPlan | undefined;

  constructor(
    { projectId, month, writer }: Pick<ProjectUsage, 'projectId' | 'month' | 'writer'>,
    current: CurrentPlan | undefined,
  ) {
    this.projectId = projectId;
    this.month = month;
    this.writer = writer;
    this.current = current;
  }

  /** Null for none. */
  get quota(): number | null {
    return this.current?.plan.monthlyMessages ?? null;
  }

  /** Whether one more publish is within the quota, by the known counts. */
  get isWithinQuota(): boolean {
    const { quota } = this;
    return quota === null || this.elsewhere + this.accepted + this.underWay < quota;
  }

  get mustBeRead(): boolean {
    return !this.isKnown && this.quota !== null;
  }

  /** A publish goes to the bus. */
  begin(): void {
    this.isActive = true;
    this.underWay++;
  }

  /** The bus has acknowledged or refused the publish. A refused one does not count. */
  end(isAccepted: boolean): void {
    this.underWay--;
    if (isAccepted) this.accepted++;
  }

  /** Whether everything is stored and nothing is in flight. */
  get isSettled(): boolean {
    return this.underWay === 0 && this.noted === this.accepted;
  }
}

export interface UsageLedgerDeps {
  /** Names this process in the store. */
  readonly gatewayId: string;
  readonly usage: Pick<UsageStore, 'noteUsage' | 'mergeUsage' | 'usage'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly plans: Plans;
}

/** After this many rounds without a publish a project is no longer read. */
const roundsUntilIdle = 60;

/**
 * [WS-PUB-9] What the projects publish in this month. Counted in memory; rounds, one at a time, store what has changed and read
 * what the other gateways have stored.
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
    this.writer = `${deps.gatewayId}-${this.turns}`;
  }

  of({ projectId, organizationId }: Identity): ProjectUsage {
    const now = this.deps.clock.now();
    if (now >= this.month.until || now < this.month.from) this.turnTo(monthAt(now));
    let usage = this.usages.get(projectId);
    if (usage === undefined) {
      const own = { projectId, month: this.month.name, writer: this.writer };
      usage = new ProjectUsage(own, this.deps.plans.of(organizationId));
      this.usages.set(projectId, usage);
    }
    return usage;
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
    this.former.push(...this.usages.values());
    this.usages = new Map();
    this.idleRounds.clear();
    this.month = month;
    this.writer = `${this.deps.gatewayId}-${++this.turns}`;
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
    const totals = await this.deps.usage.usage(
      read.map(({ projectId }) => projectId),
      month,
    );
    // Only this process writes this key, so the total contains what it has stored.
    for (const usage of read) usage.elsewhere = (totals.get(usage.projectId) ?? 0) - usage.noted;
  }

  /** Projects with a quota and recent publishes. */
  private toRead(): readonly ProjectUsage[] {
    for (const usage of this.usages.values()) {
      const idle = usage.isActive ? 0 : (this.idleRounds.get(usage) ?? roundsUntilIdle) + 1;
      usage.isActive = false;
      if (idle < roundsUntilIdle) this.idleRounds.set(usage, idle);
      else this.idleRounds.delete(usage);
    }
    return [...this.idleRounds.keys()].filter(({ quota }) => quota !== null);
  }
}

const byWriter = (usages: readonly ProjectUsage[]): readonly (readonly [string, readonly ProjectUsage[]])[] =>
  [...new Set(usages.map(({ writer }) => writer))].map((writer) => [
    writer,
    usages.filter((usage) => usage.writer === writer),
  ]);
