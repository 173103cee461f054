import type { Clock } from '@roomwire/shared/ports/clock';
import { Holdings } from './holdings.js';
import type { LeaseCluster, LeaseTerms, LeaseWaits } from './leaseTerms.js';

export interface AllowanceDeps {
  readonly clock: Clock;
  readonly cluster: LeaseCluster;
  readonly waits: LeaseWaits;
  readonly isReady: () => boolean;
}

/** What this gateway may use of one limited thing without asking the others, and what they leave to it. */
export class Allowance {
  private readonly terms: LeaseTerms;
  private readonly deps: AllowanceDeps;
  readonly holdings = new Holdings();
  held = 0;
  /** The limit under which it was granted. */
  private grantedAt = 0;
  /** More is claimed in advance when no more than this is left. */
  private lowWater = 0;
  /** The limit at the last refusal. */
  private fullAt = Number.NEGATIVE_INFINITY;
  private restUntil = Number.NEGATIVE_INFINITY;
  /** Those that it has taken into account. */
  private absences: number;
  /** The gateways that have gone, and how many of them `usedUp` includes. */
  private losses = 0;
  private lossesRead = 0;
  private reading: Promise<void> | undefined;

  constructor(terms: LeaseTerms, deps: AllowanceDeps) {
    this.terms = terms;
    this.deps = deps;
    this.absences = deps.cluster.absences;
  }

  /** Without asking. */
  allowed(most: number): number {
    const { cluster, isReady } = this.deps;
    if (cluster.others.length === 0) return isReady() && !this.isStale ? most - this.terms.usedUp : 0;
    return most >= this.grantedAt && !this.isInDoubt ? this.held : 0;
  }

  /** For how long the others are not asked, because nothing was left when they were. */
  get restMs(): number {
    const { most } = this.terms;
    if (most === null || most > this.fullAt) return 0;
    return Math.max(0, this.restUntil - this.deps.clock.monotonic());
  }

  /** Whether more is to be claimed in advance. */
  get isLow(): boolean {
    return this.lowWater > 0 && this.held - this.terms.used <= this.lowWater;
  }

  /** A claim that needs `need` and asks for `upTo` is decided where there is `room`. */
  grant(need: number, room: number, upTo: number): void {
    this.held = Math.max(0, Math.min(upTo, room, need + this.portionOf(room - need)));
    this.grantedAt = this.terms.most ?? 0;
    this.lowWater = Math.floor(Math.max(0, this.held - need) / 2);
  }

  /** Nothing was left. */
  rest(): void {
    this.fullAt = this.terms.most ?? Number.NEGATIVE_INFINITY;
    this.restUntil = this.deps.clock.monotonic() + this.deps.waits.restMs;
  }

  giveBack(): void {
    this.held = Math.min(this.held, this.terms.used);
    this.lowWater = 0;
  }

  /** A gateway has gone; what it used is to be read before this one goes on. */
  lost(gatewayId: string): void {
    this.holdings.gone(gatewayId);
    this.losses++;
  }

  /** Who took this gateway for dead may have used what it held, without telling it. */
  get isInDoubt(): boolean {
    const { isHeard, absences } = this.deps.cluster;
    return !isHeard || this.absences !== absences;
  }

  beginAnew(): void {
    this.absences = this.deps.cluster.absences;
    this.giveBack();
    this.holdings.clear();
  }

  /**
   * How much this gateway may hold by a claim with this place. Undefined where another one has not said what it holds, unless
   * that `isAssumed`.
   */
  room(order: number, isAssumed: boolean): number | undefined {
    const { terms, deps } = this;
    let room = (terms.most ?? Number.POSITIVE_INFINITY) - terms.usedUp;
    for (const gatewayId of deps.cluster.others) {
      const isHolder = deps.cluster.takesLeases(gatewayId);
      const left = this.holdings.leftTo(gatewayId, order);
      if (left === undefined && isHolder && !isAssumed) return undefined;
      room -= left ?? Math.max(this.holdings.believedOf(gatewayId, order), terms.usedBy(gatewayId));
    }
    return room;
  }

  /** What one gateway may hold in advance: the less, the less there is left. */
  portionOf(left: number): number {
    return Math.max(0, Math.floor(left / (2 * (this.deps.cluster.others.length + 1))));
  }

  leasing(): readonly string[] {
    const { cluster } = this.deps;
    return cluster.others.filter((gatewayId) => cluster.takesLeases(gatewayId));
  }

  get isStale(): boolean {
    return this.lossesRead < this.losses;
  }

  readAgain(then: () => void): void {
    const { losses } = this;
    this.reading ??= this.terms.read().then(() => {
      this.reading = undefined;
      this.lossesRead = losses;
      then();
    });
  }
}
