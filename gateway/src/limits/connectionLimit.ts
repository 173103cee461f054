import type { GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';
import type { LeaseOutcome, LeaseTerms } from './leaseTerms.js';
import type { Leases } from './leases.js';
import type { Plans } from './plans.js';

/** Live connections of an organization on one gateway. */
export interface GatewayCount {
  readonly gatewayId: string;
  readonly connections: number;
}

/**
 * How many connections a gateway has to close so that all gateways together keep `most`. Each closes in proportion to its
 * count, by the largest remainder; ties are broken by gateway id. Gateways that have the same counts close exactly the excess,
 * without coordination.
 */
export const excessOf = (gatewayId: string, counts: readonly GatewayCount[], most: number): number => {
  const total = counts.reduce((sum, { connections }) => sum + connections, 0);
  if (total <= most) return 0;
  const shares = counts.map(({ gatewayId: id, connections }) => ({
    id,
    connections,
    keeps: Math.floor((connections * most) / total),
    remainder: (connections * most) % total,
  }));
  const leftOver = most - shares.reduce((sum, { keeps }) => sum + keeps, 0);
  const byRemainder = shares.sort((a, b) => b.remainder - a.remainder || (a.id < b.id ? -1 : 1));
  const place = byRemainder.findIndex(({ id }) => id === gatewayId);
  const own = byRemainder[place];
  return own === undefined ? 0 : own.connections - own.keeps - (place < leftOver ? 1 : 0);
};

/** The live connections of this gateway, by organization. */
export interface OrganizationConnections {
  organizationIds(): readonly string[];
  countOf(organizationId: string): number;
  closeNewest(organizationId: string, count: number): void;
}

export interface ConnectionLimitDeps {
  readonly gatewayId: string;
  readonly connections: OrganizationConnections;
  readonly plans: Plans;
  readonly bus: Pick<MessageBus, 'reachable'>;
  /** The last reports, by gateway. */
  readonly reports: () => ReadonlyMap<string, GatewayReport>;
  readonly leases: Pick<Leases, 'of' | 'heldBy'>;
}

/** Number of checks after which all other gateways have reported what they closed at the same time. */
const checksUntilReported = 3;

const keyPrefix = 'connections/';

const keyOf = (organizationId: string): string => keyPrefix + organizationId;

/** [WS-AUTH-12] Limits the live connections of an organization to its plan, on all gateways together. */
export class ConnectionLimit {
  private readonly deps: ConnectionLimitDeps;
  /** Places of connections that have not begun, by organization. */
  private readonly taken = new Map<string, number>();
  private checks = 0;
  /** The last check that closed connections. Until all have reported, counts include connections closed elsewhere. */
  private readonly closings = new Map<string, number>();

  constructor(deps: ConnectionLimitDeps) {
    this.deps = deps;
  }

  /** Takes a place for one more connection. `returnPlace` must be called when the connection has begun, or will not. */
  takePlace(organizationId: string): LeaseOutcome | Promise<LeaseOutcome> {
    return this.deps.leases.of(keyOf(organizationId), () => this.placesOf(organizationId)).take();
  }

  returnPlace(organizationId: string): void {
    const taken = this.taken.get(organizationId) ?? 0;
    if (taken > 1) this.taken.set(organizationId, taken - 1);
    else this.taken.delete(organizationId);
  }

  /** Undefined for a lease on something else. */
  termsOf(key: string): LeaseTerms | undefined {
    return key.startsWith(keyPrefix) ? this.placesOf(key.slice(keyPrefix.length)) : undefined;
  }

  /** Checks all organizations. Must be called once in a heartbeat interval. */
  check(): void {
    this.checks++;
    for (const organizationId of this.deps.connections.organizationIds()) this.enforce(organizationId);
  }

  /** [WS-AUTH-13] Closes the share of this gateway in the excess, the newest first. */
  enforce(organizationId: string): void {
    const { plans, gatewayId, connections } = this.deps;
    const most = plans.of(organizationId)?.plan.maxConnections ?? null;
    if (most === null || !this.knowsCounts(organizationId)) return;
    const excess = excessOf(gatewayId, this.counts(organizationId), most);
    if (excess === 0) return;
    this.closings.set(organizationId, this.checks);
    connections.closeNewest(organizationId, excess);
  }

  private knowsCounts(organizationId: string): boolean {
    const isAlone = this.others().length === 0;
    const lastClosing = this.closings.get(organizationId);
    const isReported = lastClosing === undefined || this.checks - lastClosing >= checksUntilReported;
    if (isReported) this.closings.delete(organizationId);
    // While the bus is unavailable the reports are stale.
    return this.deps.bus.reachable && (isAlone || isReported);
  }

  private counts(organizationId: string): readonly GatewayCount[] {
    const { gatewayId } = this.deps;
    const own = { gatewayId, connections: this.deps.connections.countOf(organizationId) };
    const others = this.others().map(([id, { connections }]) => ({
      gatewayId: id,
      // What it has given back may have been taken here since its report.
      connections: Math.min(
        connections[organizationId] ?? 0,
        this.deps.leases.heldBy(id, keyOf(organizationId)) ?? Number.POSITIVE_INFINITY,
      ),
    }));
    return [own, ...others];
  }

  private placesOf(organizationId: string): LeaseTerms {
    const { plans, connections, reports } = this.deps;
    const { taken } = this;
    return {
      get most() {
        return plans.of(organizationId)?.plan.maxConnections ?? null;
      },
      get used() {
        return connections.countOf(organizationId) + (taken.get(organizationId) ?? 0);
      },
      // The connections of a gateway end with it.
      usedUp: 0,
      isFreedAgain: true,
      use: () => void taken.set(organizationId, (taken.get(organizationId) ?? 0) + 1),
      usedBy: (gatewayId) => reports().get(gatewayId)?.connections[organizationId] ?? 0,
      read: async () => undefined,
    };
  }

  private others(): readonly (readonly [string, GatewayReport])[] {
    return [...this.deps.reports()].filter(([id]) => id !== this.deps.gatewayId);
  }
}

export interface ConnectionCountsDeps {
  readonly gatewayId: string;
  readonly usage: Pick<UsageStore, 'noteConnections'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Live connections by organization. */
  readonly connections: () => Readonly<Record<string, number>>;
}

/** Stores the connections per organization on this gateway, for the usage that the API shows. */
export class ConnectionCounts {
  private readonly deps: ConnectionCountsDeps;
  private writing: Promise<void> | undefined;

  constructor(deps: ConnectionCountsDeps) {
    this.deps = deps;
  }

  /** One at a time: writes do not pile up while the store is unavailable. Never rejects. */
  store(): Promise<void> {
    this.writing ??= this.write().finally(() => (this.writing = undefined));
    return this.writing;
  }

  /** All connections must be closed. */
  async close(): Promise<void> {
    await this.writing;
    await this.store();
  }

  private async write(): Promise<void> {
    const { gatewayId, usage, clock, logger, connections } = this.deps;
    const at = new Date(clock.now()).toISOString();
    try {
      await usage.noteConnections({ gatewayId, at, connections: connections() });
    } catch (error) {
      // An unavailable engine is logged by its adapter.
      if (!(error instanceof EngineUnavailable)) {
        logger.warn('The live connections could not be stored', { error });
      }
    }
  }
}
