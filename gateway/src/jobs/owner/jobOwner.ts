import { shardCount } from '@roomwire/shared/domain/shards';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { RoomPast } from '@roomwire/shared/ports/roomPast';
import type { OwnedShards, ShardLeases } from '@roomwire/shared/ports/shardLeases';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { Intake, type RoomLog } from './intake.js';
import type { OwnedGroup } from './ownedGroup.js';
import { OwnedShard, type OwnedShardDeps } from './ownedShard.js';
import { TakenMessages } from './takenMessages.js';

export interface JobOwnerDeps extends Omit<OwnedShardDeps, 'store' | 'intake' | 'taken' | 'superseded'> {
  readonly store: JobStore;
  readonly leases: ShardLeases;
  readonly rooms: RoomLog;
  /** Other processes that are known to live. */
  readonly others: () => readonly string[];
  /** A shard is this process' own from now on, or no more. */
  readonly owned: (shard: number, term: number | undefined) => void;
}

const tickMs = 100;
const secondMs = 1_000;
const expiryMs = 60_000;
/** So often it is noted how far partitions have been read, for whoever takes over. */
const markMs = 30_000;

/** The groups with jobs that this process owns. */
export class JobOwner {
  readonly intake: Intake;
  private readonly deps: JobOwnerDeps;
  private readonly shards = new Map<number, OwnedShard>();
  private readonly taken = new TakenMessages();
  private ownership: OwnedShards | undefined;
  private timers: readonly NodeJS.Timeout[] = [];

  constructor(deps: JobOwnerDeps) {
    this.deps = deps;
    this.intake = new Intake(deps.rooms);
  }

  start(): void {
    this.ownership = this.deps.leases.own('jobs', shardCount, {
      gained: (shard, term) => this.gained(shard, term),
      lost: (shard) => this.lost(shard),
    });
    this.timers = [
      setInterval(() => this.each((group) => group.tick()), tickMs).unref(),
      setInterval(() => this.each((group) => group.noteDeliveries()), secondMs).unref(),
      setInterval(() => this.awaitOnlyLiving(), secondMs).unref(),
      setInterval(() => void this.expire(), expiryMs).unref(),
      setInterval(() => void this.mark(), markMs).unref(),
    ];
  }

  /** The numbers of its shards. */
  get owned(): Iterable<number> {
    return this.shards.keys();
  }

  /** Undefined where another process owns it. */
  shard(shard: number): OwnedShard | undefined {
    return this.shards.get(shard);
  }

  take(message: LiveMessage, offset: number): void {
    this.intake.take(message, offset);
  }

  /** Everything of the room's partition up to the offset has been taken. */
  passed(room: string, offset: number): void {
    const { past } = this.deps;
    if (past === undefined || !this.intake.reads(room)) return;
    const partition = past.partitionOf(room);
    for (const shard of this.shards.values())
      if (shard.isReady && isIn(past, partition, shard)) shard.passed(partition, offset);
  }

  /** Whether what is published to the topic is not durable before it is in a group here. */
  collects(topic: string): boolean {
    for (const { hasLog } of this.intake.groupsOf(topic)) if (!hasLog) return true;
    return false;
  }

  /** Resolves when what was taken of the topic is durable in its groups. */
  async stored(topic: string): Promise<void> {
    for (const { record } of this.intake.groupsOf(topic)) await this.shards.get(record.shard)?.flushed();
  }

  *groups(): Iterable<OwnedGroup> {
    for (const shard of this.shards.values()) yield* shard;
  }

  /** What belonged to a project, app, room or scope is gone, or goes. Whatever cannot be removed now is later. */
  async removeOf(owner: string): Promise<void> {
    for (const group of [...this.groups()]) {
      const { owners, shard } = group.record;
      const { projectId, appId, roomId, accessScopeId } = owners;
      if (![projectId, appId, roomId, accessScopeId].includes(owner)) continue;
      await this.shards
        .get(shard)
        ?.remove(group)
        .catch((error: unknown) => {
          this.deps.logger.debug('A worker group was not removed yet', { groupId: group.groupId, error });
        });
    }
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.deps.burial.close();
    await this.ownership?.close();
  }

  private gained(shard: number, term: number): void {
    const { owned, ...deps } = this.deps;
    const superseded = (): void => {
      if (this.shards.get(shard) === opened) this.drop(shard, opened);
    };
    const opened = new OwnedShard(shard, term, {
      ...{ ...deps, superseded },
      ...{ intake: this.intake, taken: this.taken },
    });
    this.shards.set(shard, opened);
    owned(shard, term);
  }

  private async lost(shard: number): Promise<void> {
    const opened = this.shards.get(shard);
    if (opened === undefined) return;
    await opened.close();
    if (this.shards.get(shard) === opened) this.drop(shard, opened);
  }

  private drop(shard: number, opened: OwnedShard): void {
    opened.abandon();
    this.shards.delete(shard);
    this.deps.owned(shard, undefined);
  }

  /** A command that changes nothing, in each partition with groups: when it is read, so is what was before it. */
  private async mark(): Promise<void> {
    const { past, endOf, logger } = this.deps;
    if (past === undefined) return;
    const marked = new Set<number>();
    for (const { record, hasLog } of [...this.groups()]) {
      const partition = past.partitionOf(record.room);
      if (!hasLog || marked.has(partition)) continue;
      marked.add(partition);
      await endOf(record).catch((error: unknown) => logger.debug('A partition was not marked', { error }));
    }
  }

  private awaitOnlyLiving(): void {
    const living = new Set(this.deps.others());
    for (const { gathering } of this.shards.values()) gathering.keep(living);
  }

  private each(action: (group: OwnedGroup) => void): void {
    for (const group of this.groups()) action(group);
  }

  private async expire(): Promise<void> {
    for (const group of [...this.groups()]) {
      try {
        if ((await group.expire()) === 'expired') await this.shards.get(group.record.shard)?.remove(group);
      } catch (error) {
        this.deps.logger.debug('Jobs could not be looked at for their age', {
          groupId: group.groupId,
          error,
        });
      }
    }
  }
}

const isIn = (past: RoomPast, partition: number, shard: OwnedShard): boolean =>
  [...shard].some(({ record }) => past.partitionOf(record.room) === partition);
