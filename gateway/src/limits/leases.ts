import type { GatewayNews, LeaseStatement } from '@roomwire/shared/wire/bus/gatewayNews';
import type { Clock } from '@roomwire/shared/ports/clock';
import { Lease, type LeaseDeps } from './lease.js';
import type { LeaseCluster, LeaseTerms, LeaseWaits } from './leaseTerms.js';

export interface LeasesDeps {
  readonly gatewayId: string;
  readonly clock: Clock;
  readonly cluster: LeaseCluster;
  readonly waits: LeaseWaits;
  /** Resolves when the other gateways are known. */
  readonly ready: Promise<void>;
  /** Resolves with whether the bus has stored it. */
  readonly send: (news: GatewayNews) => Promise<boolean>;
  /** Undefined for what is not used here. */
  readonly termsOf: (key: string) => LeaseTerms | undefined;
}

/** So that a record stays small. */
const statementsPerRecord = 500;

/** The leases of this gateway by key, and what gateways say to one another about them. */
export class Leases {
  private readonly deps: LeasesDeps;
  private readonly leaseDeps: LeaseDeps;
  private readonly leases = new Map<string, Lease>();
  private readonly unsaid = new Set<Lease>();
  private readonly saidLater = new Set<Lease>();
  private isReady = false;
  private isSending = false;
  private isClosed = false;
  /** Counts the statements of all gateways. */
  private heard = 0;
  private claims = 0;

  constructor(deps: LeasesDeps) {
    this.deps = deps;
    this.leaseDeps = {
      ...deps,
      isReady: () => this.isReady,
      nextNumber: () => ++this.claims,
      say: (lease) => this.say(lease),
      sayLater: (lease) => this.saidLater.add(lease),
    };
    void deps.ready.then(() => (this.isReady = true));
  }

  /** Its terms are those of the first call until it is forgotten. */
  of(key: string, terms: () => LeaseTerms): Lease {
    const known = this.leases.get(key);
    if (known !== undefined) return known;
    const lease = new Lease(key, terms(), this.leaseDeps);
    this.leases.set(key, lease);
    return lease;
  }

  /** Whoever waits for it is told that it is unavailable. */
  forget(key: string): void {
    this.leases.get(key)?.failed();
    this.leases.delete(key);
  }

  /** What another gateway may use; undefined where it has not said. */
  heldBy(gatewayId: string, key: string): number | undefined {
    return this.leases.get(key)?.heldBy(gatewayId);
  }

  /** What gateways say, those of this one included, in the order of the bus. */
  onNews(news: GatewayNews): void {
    const isOwn = news.gatewayId === this.deps.gatewayId;
    if (news.kind === 'leases') for (const each of news.statements) this.take(news.gatewayId, each, isOwn);
    if (news.kind === 'hello' && !isOwn)
      for (const lease of this.leases.values()) lease.started(news.gatewayId);
  }

  onGone(gatewayId: string): void {
    for (const lease of this.leases.values()) lease.gone(gatewayId);
  }

  /** Must be called with each heartbeat. */
  beat(): void {
    for (const lease of this.saidLater) this.say(lease);
    this.saidLater.clear();
    for (const [key, lease] of this.leases) if (lease.beat()) this.leases.delete(key);
  }

  /** Nothing is said any more: the goodbye of this gateway gives everything back. */
  close(): void {
    this.isClosed = true;
    for (const lease of this.leases.values()) lease.failed();
  }

  private take(gatewayId: string, statement: LeaseStatement, isOwn: boolean): void {
    const order = ++this.heard;
    const lease = this.leases.get(statement.key);
    if (isOwn) return lease?.returned(statement, order);
    if (lease !== undefined) return lease.heard(gatewayId, statement, order);
    if (statement.asks) this.opened(statement.key).heard(gatewayId, statement, order);
  }

  /** For an answer. */
  private opened(key: string): Lease {
    const terms = this.deps.termsOf(key);
    return terms === undefined ? new Lease(key, unused, this.leaseDeps) : this.of(key, () => terms);
  }

  private say(lease: Lease): void {
    if (this.isClosed) return;
    this.unsaid.add(lease);
    // Together with what else is said in this turn.
    queueMicrotask(() => void this.send());
  }

  /** One record at a time: what is said meanwhile comes with the next. */
  private async send(): Promise<void> {
    if (this.isSending || this.isClosed) return;
    this.isSending = true;
    while (this.unsaid.size > 0 && !this.isClosed) {
      const batch = [...this.unsaid].slice(0, statementsPerRecord);
      for (const lease of batch) this.unsaid.delete(lease);
      await this.sendOf(batch);
    }
    this.isSending = false;
  }

  private async sendOf(batch: readonly Lease[]): Promise<void> {
    const { gatewayId, send } = this.deps;
    const statements = batch.map((lease) => lease.statement());
    if (await send({ kind: 'leases', gatewayId, statements })) return;
    for (const lease of batch) {
      lease.failed();
      this.saidLater.add(lease);
    }
  }
}

const unused: LeaseTerms = {
  most: null,
  used: 0,
  usedUp: 0,
  isFreedAgain: true,
  use: () => undefined,
  usedBy: () => 0,
  read: async () => undefined,
};
