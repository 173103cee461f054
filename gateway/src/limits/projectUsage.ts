import type { LeaseOutcome, LeaseTerms } from './leaseTerms.js';
import type { Leases } from './leases.js';
import type { CurrentPlan } from './plans.js';

const keyPrefix = 'messages/';

/** What a usage needs of its ledger. */
export interface UsageLinks {
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
  /** The part of `accepted` that is known to be stored, and the tick when it was. */
  noted = 0;
  notedAt = Number.NEGATIVE_INFINITY;
  /** Whether reading earlier publishes has succeeded or failed. */
  isKnown = false;
  /** Whether somebody needs the counts of the others as they are now. */
  isWanted = false;
  /** Whether there was a publish since the last reading. */
  isActive = false;
  /** The tick of the last reading. */
  readAt = Number.NEGATIVE_INFINITY;
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

  /** Accepted, and not known to be stored. */
  get unnoted(): number {
    return this.accepted - this.noted;
  }

  /** Whether everything is stored and nothing is in flight. */
  get isSettled(): boolean {
    return this.underWay === 0 && this.unnoted === 0;
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

/** Undefined for a lease on something else. */
export const projectOfLease = (key: string): string | undefined =>
  key.startsWith(keyPrefix) ? key.slice(keyPrefix.length, key.lastIndexOf('/')) : undefined;

/** The month may have been counted before by the same gateway, when the clock was set back. */
export const writerOf = (gatewayId: string, turn: number): string => `${gatewayId}-${turn}`;

const gatewayOf = (writer: string): string => writer.slice(0, writer.lastIndexOf('-'));

const sumWhere = (counts: ReadonlyMap<string, number>, isCounted: (writer: string) => boolean): number => {
  let sum = 0;
  for (const [writer, messages] of counts) if (isCounted(writer)) sum += messages;
  return sum;
};
