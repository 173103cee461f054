import type { Clock } from '../../ports/clock.js';
import { EngineUnavailable } from '../../ports/errors.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import type { OwnedShards, ShardLeases, ShardOwner } from '../../ports/shardLeases.js';
import { calmLogger } from '../../runtime/onceAMinute.js';
import { once } from '../../runtime/service.js';
import { everyLease } from './fairShare.js';
import type { LeaseTable } from './leaseTable.js';
import { LiveMembers } from './liveMembers.js';
import { WorkDivision, type LeaseTimes } from './workDivision.js';

export interface LeasedShardsDeps {
  readonly table: LeaseTable;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly logger: Logger;
  readonly times?: Partial<LeaseTimes>;
}

/** An owner gives up two seconds before anybody may take over: its timers may be late. */
const defaultTimes: LeaseTimes = { renewMs: 1_000, safeMs: 5_000, silenceMs: 7_000, partingMs: 5_000 };

/**
 * Shards of processes that share a table. Each renews one entry for all that it owns, and reads those of the others. Who has not renewed for
 * longer than is safe gives everything up and goes on under another id, so that a renewal that was on its way changes nothing.
 */
export class LeasedShards implements ShardLeases {
  readonly close = once(() => this.closeAll());
  private readonly deps: LeasedShardsDeps;
  private readonly times: LeaseTimes;
  private readonly live: LiveMembers;
  private readonly works = new Map<string, WorkDivision>();
  private readonly timers: readonly NodeJS.Timeout[];
  /** The ids under which this process owned something before. */
  private readonly formerIds = new Set<string>();
  private id: string;
  private beat = 0;
  /** When the last renewal that succeeded began, by the monotonic clock; undefined under an id that is not known yet. */
  private renewedAt: number | undefined;
  private renewing: Promise<void> | undefined;
  private dividing: Promise<void> | undefined;
  /** Whether not to wait for the next interval: of new work, and after another process was faster. */
  private hasMore = false;

  constructor(deps: LeasedShardsDeps) {
    this.deps = { ...deps, logger: calmLogger(deps) };
    this.times = { ...defaultTimes, ...deps.times };
    this.live = new LiveMembers(this.times.silenceMs);
    this.id = deps.random.uuid();
    const { renewMs } = this.times;
    this.timers = [
      setInterval(() => this.onTick(), renewMs).unref(),
      setInterval(() => this.giveUpInTime(), renewMs / 4).unref(),
    ];
  }

  own(work: string, shardCount: number, owner: ShardOwner): OwnedShards {
    const { table, clock } = this.deps;
    const failed = (error: unknown) => this.report(error);
    const me = { id: () => this.id, isSafe: () => this.isSafe, formerIds: this.formerIds };
    const division = new WorkDivision({
      ...{ work, shardCount, owner, table, clock, times: this.times },
      ...{ me, live: this.live, failed },
    });
    this.works.set(work, division);
    this.hasMore = true;
    this.onTick();
    return { close: once(() => this.end(work, division)) };
  }

  owned(): ReadonlyMap<string, number> {
    return new Map([...this.works].map(([work, { held }]) => [work, held.size]));
  }

  private get isSafe(): boolean {
    return this.renewedAt !== undefined && this.deps.clock.monotonic() - this.renewedAt <= this.times.safeMs;
  }

  private onTick(): void {
    if (this.works.size === 0) return;
    this.renewing ??= this.guarded(() => this.renew()).finally(() => (this.renewing = undefined));
    this.dividing ??= this.guarded(() => this.divide()).finally(() => {
      this.dividing = undefined;
      if (!this.hasMore) return;
      this.hasMore = false;
      this.onTick();
    });
  }

  private async renew(): Promise<void> {
    const { id } = this;
    const from = this.deps.clock.monotonic();
    await this.deps.table.renew({ id, beat: (this.beat += 1), works: [...this.works.keys()] });
    if (id === this.id) this.renewedAt = from;
  }

  private async divide(): Promise<void> {
    if (!this.isSafe) await this.renewing;
    if (!this.isSafe) return;
    const reading = await this.deps.table.read([...this.works.keys()]);
    const now = this.deps.clock.monotonic();
    const owners = [...reading.works.values()].flatMap(({ leases }) =>
      leases.flatMap(({ owner }) => (owner === null ? [] : [owner])),
    );
    this.live.note(reading.members, owners, now);
    for (const [work, division] of this.works) {
      const { revision, leases } = reading.works.get(work) ?? { revision: 0, leases: [] };
      const members = reading.members.filter(({ works }) => works.includes(work)).map(({ id }) => id);
      const found = { revision, leases: everyLease(leases, division.shardCount) };
      if (!(await division.divide(found, members))) this.hasMore = true;
    }
    const gone = this.live.longDead(now);
    if (gone.length > 0) await this.deps.table.forget(gone);
  }

  private giveUpInTime(): void {
    if (this.renewedAt === undefined || this.isSafe) return;
    this.formerIds.add(this.id);
    this.id = this.deps.random.uuid();
    this.renewedAt = undefined;
    for (const { held } of this.works.values())
      for (const shard of held.shards) void held.lose(shard, this.times.partingMs);
  }

  private async end(work: string, division: WorkDivision): Promise<void> {
    division.isEnding = true;
    await this.dividing;
    await this.guarded(() => division.release());
    this.works.delete(work);
    if (this.works.size > 0) return;
    await this.renewing;
    const { id, beat } = this;
    await this.guarded(() => this.deps.table.forget([{ id, beat }]));
  }

  private async closeAll(): Promise<void> {
    await Promise.all([...this.works].map(([work, division]) => this.end(work, division)));
    for (const timer of this.timers) clearInterval(timer);
    await this.deps.table.close();
  }

  private async guarded(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      // An outage is told of by the engine.
      if (!(error instanceof EngineUnavailable)) this.report(error);
    }
  }

  private report(error: unknown): void {
    this.deps.logger.warn('Shards could not be divided; trying again', { error });
  }
}
