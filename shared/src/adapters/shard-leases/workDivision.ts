import type { Clock } from '../../ports/clock.js';
import type { ShardOwner } from '../../ports/shardLeases.js';
import { everyLease, fairShare, nextTerm } from './fairShare.js';
import { HeldShards } from './heldShards.js';
import type { Lease, LeaseTable, WorkLeases } from './leaseTable.js';
import type { LiveMembers } from './liveMembers.js';

export interface LeaseTimes {
  /** Between renewals, and between looks at the others. */
  readonly renewMs: number;
  /** An owner that has not renewed for so long gives up. */
  readonly safeMs: number;
  /** One that has not renewed for so long is dead for others. More than `safeMs`. */
  readonly silenceMs: number;
  /** How long an owner may take to end its work on a shard that it gives up. */
  readonly partingMs: number;
}

export interface WorkDivisionDeps {
  readonly work: string;
  readonly shardCount: number;
  readonly owner: ShardOwner;
  readonly table: Pick<LeaseTable, 'read' | 'swap'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly times: LeaseTimes;
  readonly me: {
    id(): string;
    /** Whether nobody can have taken over yet. */
    isSafe(): boolean;
    readonly formerIds: ReadonlySet<string>;
  };
  readonly live: Pick<LiveMembers, 'isAlive'>;
  readonly failed: (error: unknown) => void;
}

/** Where several processes change the leases at the same time. */
const releaseAttempts = 20;

/** What this process owns of one work, against what the table says. */
export class WorkDivision {
  readonly held: HeldShards;
  isEnding = false;
  private readonly deps: WorkDivisionDeps;

  constructor(deps: WorkDivisionDeps) {
    this.deps = deps;
    this.held = new HeldShards(deps.owner, deps.failed);
  }

  get shardCount(): number {
    return this.deps.shardCount;
  }

  /** One step towards the fair share: takes what is free, or gives up what is too much. False where another process was faster. */
  async divide(found: WorkLeases, members: readonly string[]): Promise<boolean> {
    const id = this.deps.me.id();
    this.agree(found.leases, id);
    if (this.isEnding || !members.includes(id)) return true;
    const alive = members.filter((member) => member === id || this.isAlive(member));
    const missing = fairShare(this.shardCount, alive, id) - this.held.size;
    if (missing > 0) return this.take(found, missing, id);
    if (missing < 0) await this.giveUp(this.held.shards.slice(missing));
    return true;
  }

  /** Gives everything up. */
  async release(): Promise<void> {
    await this.giveUp(this.held.shards);
  }

  /** The table is right: about what another has taken, and about a change of ours whose answer was lost. */
  private agree(leases: readonly Lease[], id: string): void {
    for (const [shard, { owner, term }] of leases.entries()) {
      if (owner === id && !this.held.has(shard, term)) this.gain(shard, term, id);
      else if (owner !== id) void this.held.lose(shard, this.deps.times.partingMs);
    }
  }

  private async take({ revision, leases }: WorkLeases, most: number, id: string): Promise<boolean> {
    const free = [...leases.keys()]
      .filter((shard) => this.isFree(shard, leases[shard] as Lease))
      .slice(0, most);
    if (free.length === 0) return true;
    const taken = new Map(
      free.map((shard) => {
        const term = nextTerm((leases[shard] as Lease).term, this.deps.clock.now());
        return [shard, { owner: id, term }];
      }),
    );
    const changed = leases.map((lease, shard) => taken.get(shard) ?? lease);
    if (!(await this.deps.table.swap(this.deps.work, revision, changed))) return false;
    for (const [shard, { term }] of taken) this.gain(shard, term, id);
    return true;
  }

  private isFree(shard: number, { owner }: Lease): boolean {
    return !this.held.isParting(shard) && (owner === null || !this.isAlive(owner));
  }

  private isAlive(member: string): boolean {
    const { me, live, clock } = this.deps;
    return !me.formerIds.has(member) && live.isAlive(member, clock.monotonic());
  }

  /** Meanwhile this process may have given up under this id: its next one takes what is left of it. */
  private gain(shard: number, term: number, id: string): void {
    if (this.isEnding || id !== this.deps.me.id() || !this.deps.me.isSafe()) return;
    if (this.held.isParting(shard)) return;
    this.held.gain(shard, term);
  }

  private async giveUp(shards: readonly number[]): Promise<void> {
    const { work, table, times, me, shardCount } = this.deps;
    const mine = new Set([me.id(), ...me.formerIds]);
    await Promise.all(shards.map((shard) => this.held.lose(shard, times.partingMs)));
    for (let attempt = 0; attempt < releaseAttempts; attempt += 1) {
      const found = (await table.read([work])).works.get(work);
      const leases = everyLease(found?.leases ?? [], shardCount);
      const isReleased = (shard: number, { owner }: Lease): boolean =>
        owner !== null && mine.has(owner) && (this.isEnding || shards.includes(shard));
      if (!leases.some((lease, shard) => isReleased(shard, lease))) return;
      const changed = leases.map((lease, shard) =>
        isReleased(shard, lease) ? { owner: null, term: lease.term } : lease,
      );
      if (await table.swap(work, found?.revision ?? 0, changed)) return;
    }
  }
}
