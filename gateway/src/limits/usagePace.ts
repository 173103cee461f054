import type { LeaseCluster } from './leaseTerms.js';
import type { ProjectUsage } from './projectUsage.js';

/** A count that hardly matters is stored after so many ticks. */
const ticksUntilStored = 3;
/** What hardly matters is less than one in so many of the quota. */
const partsOfQuota = 1_000;
/** For so long after a gateway has come or gone, what it may still store is looked for with every tick. */
const ticksUntilSettled = 10;
/** What is known of the others is never older while a project publishes, for when the store is away just as it is needed. */
const ticksUntilOld = 30;

/**
 * When a gateway stores and reads counts, so that what it asks of the store does not grow with the number of gateways. The live
 * ones are in the leases, so what they have stored is not needed; what gateways that are gone have stored hardly changes.
 */
export class UsagePace {
  /** Ticks since the start. */
  now = 0;
  private others: readonly string[] | undefined;
  private settledAt = 0;
  /** Whether some gateway takes no leases: it goes by what is stored, and is known by what it stores. */
  private isMixed = false;
  private isHurried = false;

  tick(cluster: Pick<LeaseCluster, 'others' | 'takesLeases'>): void {
    const { others } = cluster;
    this.now++;
    if (others !== this.others) this.settledAt = this.now + ticksUntilSettled;
    this.others = others;
    this.isMixed = others.some((gatewayId) => !cluster.takesLeases(gatewayId));
  }

  /** From now on nothing waits. */
  hurry(): void {
    this.isHurried = true;
  }

  /** Once a tick at most, unless the store has refused. */
  mustNote({ unnoted, most, notedAt }: ProjectUsage): boolean {
    if (unnoted === 0) return false;
    const mayWait = (most === null || unnoted * partsOfQuota < most) && !this.isMixed;
    return this.isHurried || this.now - notedAt >= (mayWait ? ticksUntilStored : 1);
  }

  mustRead({ most, isWanted, isActive, readAt }: ProjectUsage): boolean {
    if (most === null) return false;
    if (isWanted) return true;
    if (!isActive || readAt >= this.now) return false;
    return this.isMixed || readAt < this.settledAt || this.now - readAt >= ticksUntilOld;
  }
}
