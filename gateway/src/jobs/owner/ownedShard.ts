import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import {
  StaleTerm,
  type JobGroupRecord,
  type JobStore,
  type StoredJobGroup,
} from '@roomwire/shared/ports/jobStore';
import { retried } from '@roomwire/shared/runtime/waiting';
import type { RoomPast } from '@roomwire/shared/ports/roomPast';
import { catchUp } from './catchUp.js';
import { Describing } from './describing.js';
import { Gathering } from './gathering.js';
import type { HeldTopic, Intake } from './intake.js';
import { OwnedGroup, type OwnedGroupDeps } from './ownedGroup.js';
import { ShardCommits, type ShardCommitsDeps } from './shardCommits.js';

/** What a group is found by. */
export type NamedGroup = Pick<JobGroupRecord, 'topic' | 'name' | 'owners'>;

export interface OwnedShardDeps
  extends
    Pick<OwnedGroupDeps, 'clock' | 'counts' | 'burial' | 'taken' | 'bounds' | 'limits'>,
    Pick<ShardCommitsDeps, 'logger' | 'superseded'> {
  readonly store: OwnedGroupDeps['store'] &
    ShardCommitsDeps['store'] &
    Pick<JobStore, 'take' | 'release' | 'recentIds' | 'write' | 'describe' | 'remove'>;
  readonly intake: Intake;
  /** A message may be published once more under its id for so long. */
  readonly repeatedMs: number;
  /** Undefined where messages are durable in their groups only. */
  readonly past: RoomPast | undefined;
  /** Where the room's log is now: what is published from now on is behind it. -1 where messages have no offsets. */
  readonly endOf: (group: JobGroupRecord) => Promise<number>;
}

/** A process may be slow, or dead. */
const gatheringMs = 3_000;
const longestMs = 10_000;
const betweenTries = { firstMs: 100, longestMs: 5_000 };

/** The groups of a shard that this process owns. */
export class OwnedShard {
  /** Resolves when its groups are here; rejects with `EngineUnavailable` where another process owns it before that. */
  readonly ready: Promise<void>;
  /** Of what members on other processes have. The groups may be there before it is known who is waited for. */
  readonly gathering = new Gathering(longestMs);
  private readonly shard: number;
  private readonly term: number;
  private readonly deps: OwnedShardDeps;
  private readonly commits: ShardCommits;
  private readonly groups = new Map<string, OwnedGroup>();
  private readonly creating = new Map<string, Promise<OwnedGroup>>();
  /** By name, the ids of groups that may be in the store, although that is not known. */
  private readonly attempted = new Map<string, string>();
  /** Of groups that have not begun. */
  private readonly held = new Set<HeldTopic>();
  private readonly describing: Describing;
  private hasLoaded = false;
  private readonly closing = new AbortController();

  constructor(shard: number, term: number, deps: OwnedShardDeps) {
    this.shard = shard;
    this.term = term;
    this.deps = deps;
    const { store, logger, superseded, clock } = deps;
    this.commits = new ShardCommits({ store, logger, superseded, shard, term, now: () => clock.monotonic() });
    this.describing = new Describing({
      write: (record) => this.untilDone(() => store.describe(record, term)),
      failed: (error) => {
        if (error instanceof StaleTerm) superseded();
        else logger.debug('What is said of a worker group was not written', { shard, error });
      },
    });
    this.ready = this.load().catch(this.giveWay);
    this.ready.catch(() => undefined);
  }

  /** Waits for what members on these processes have. */
  gather(processes: readonly string[]): void {
    this.gathering.begin(processes, gatheringMs);
  }

  [Symbol.iterator](): Iterator<OwnedGroup> {
    return this.groups.values();
  }

  get(groupId: string): OwnedGroup | undefined {
    return this.groups.get(groupId);
  }

  find({ topic, name, owners }: NamedGroup): OwnedGroup | undefined {
    for (const group of this.deps.intake.groupsOf(topic)) {
      // The shard may have been this process' own before, and its groups of then may still be closing.
      const isHere = this.groups.get(group.groupId) === group;
      if (isHere && group.record.name === name && group.belongsTo(owners)) return group;
    }
    return undefined;
  }

  /** The group of the name, made where there is none; durable when it resolves. */
  async make(record: JobGroupRecord): Promise<OwnedGroup> {
    const key = `${record.topic}\n${record.name}`;
    const known = this.find(record) ?? this.creating.get(key);
    if (known !== undefined) return known;
    const id = this.attempted.get(key) ?? record.groupId;
    this.attempted.set(key, id);
    const creating = this.create({ ...record, groupId: id }).finally(() => this.creating.delete(key));
    creating.then(
      () => this.attempted.delete(key),
      () => undefined,
    );
    this.creating.set(key, creating);
    return creating;
  }

  get isReady(): boolean {
    return this.hasLoaded && this.creating.size === 0;
  }

  /** Everything of the partition up to the offset is with the groups that collect it. */
  passed(partition: number, offset: number): void {
    this.commits.passed(partition, offset);
  }

  /** Resolves when everything that was published before is durable. */
  flushed(): Promise<void> {
    return this.commits.flushed();
  }

  async remove(group: OwnedGroup): Promise<void> {
    await this.deps.store.remove(group.groupId, this.term).catch(this.giveWay);
    this.drop(group);
  }

  /** The group is not in the store any more. */
  drop(group: OwnedGroup): void {
    if (!this.groups.delete(group.groupId)) return;
    this.describing.forget(group);
    this.deps.intake.remove(group);
    group.close(true);
  }

  /** Whoever owns it next finds all that could be written. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.groups.values(), (group) => group.handOver()));
    await this.commits.close();
    await this.describing.done();
    this.abandon();
  }

  /** Another process owns it. */
  abandon(): void {
    this.closing.abort();
    this.commits.abandon();
    this.describing.abandon();
    for (const topic of this.held) topic.cancel();
    this.held.clear();
    for (const group of this.groups.values()) {
      this.deps.intake.remove(group);
      group.close(false);
    }
    this.groups.clear();
    // It frees memory, which the end of the store does as well.
    this.deps.store.release(this.shard, this.term).catch(() => undefined);
  }

  private async load(): Promise<void> {
    const { store, past, endOf, logger } = this.deps;
    const { groups, positions } = await this.untilDone(() => store.take(this.shard, this.term));
    const opened = groups.map((stored) => this.open(stored));
    await Promise.all(opened.map((group) => this.rememberIdsOf(group)));
    const held = await Promise.all(groups.map((stored) => this.untilDone(() => this.hold(stored))));
    if (past) {
      await this.untilDone(() => catchUp(past, opened, positions, logger));
      for (const group of opened)
        if (!group.hasLog) group.begin(await this.untilDone(() => endOf(group.record)));
    }
    for (const [at, group] of opened.entries()) this.begin(group, held[at] as HeldTopic);
    this.hasLoaded = true;
  }

  /** [WS-ONCE-4] What its former owners have taken, and may come once more. */
  private async rememberIdsOf(group: OwnedGroup): Promise<void> {
    const { store, clock, repeatedMs } = this.deps;
    const since = clock.now() - repeatedMs;
    const ids = await this.untilDone(() => store.recentIds(group.groupId, since));
    for (const id of ids) group.hadBefore(id);
  }

  private async create(record: JobGroupRecord): Promise<OwnedGroup> {
    const { endOf, store } = this.deps;
    const held = await this.hold(record);
    try {
      const from = await endOf(record);
      await store.write(record, this.term);
      this.mustBeOpen();
      const group = this.open({ ...record, ...{ depth: 0, bytes: 0, lastSeq: 0, collected: -1 } });
      group.begin(from);
      // It is in the store, and would be there twice if it were made anew.
      await this.untilDone(() => this.flushed());
      this.begin(group, held);
      return group;
    } catch (error) {
      if (this.held.delete(held)) held.cancel();
      return this.giveWay(error);
    }
  }

  private async hold(place: NamedGroup & Pick<JobGroupRecord, 'room'>): Promise<HeldTopic> {
    const held = await this.deps.intake.hold(place);
    if (this.closing.signal.aborted) held.cancel();
    else this.held.add(held);
    return held;
  }

  private begin(group: OwnedGroup, held: HeldTopic): void {
    this.held.delete(held);
    held.begin(group);
  }

  private open(stored: StoredJobGroup): OwnedGroup {
    const { store, clock, logger, counts, burial, taken, bounds, limits } = this.deps;
    const group = new OwnedGroup(stored, {
      ...{ store, clock, logger, counts, burial, taken, bounds, limits, gathered: this.gathering },
      changed: (changed, isSoon) => this.commits.changed(changed, isSoon),
      ...{ flushed: () => this.flushed(), storedUntil: () => this.commits.storedUntil },
      describe: (described) => {
        if (this.groups.has(described.groupId)) this.describing.describe(described);
      },
      described: () => this.describing.done(),
    });
    this.groups.set(group.groupId, group);
    return group;
  }

  /** Whoever asks is to ask the process that owns the shard now. */
  private readonly giveWay = (error: unknown): never => {
    if (!(error instanceof StaleTerm)) throw error;
    this.deps.superseded();
    throw new EngineUnavailable('jobs', { cause: error });
  };

  private mustBeOpen(): void {
    if (this.closing.signal.aborted) throw new EngineUnavailable('jobs');
  }

  /** Tries on while the store is out of reach. Rejects where the shard was given up meanwhile: what has been done is done in vain. */
  private untilDone<T>(action: () => Promise<T>): Promise<T> {
    const { logger } = this.deps;
    const attempt = async (): Promise<T> => {
      const done = await action();
      this.mustBeOpen();
      return done;
    };
    return retried(attempt, {
      ...{ signal: this.closing.signal, betweenTries },
      failed: (error, failures) => {
        if (error instanceof StaleTerm) throw error;
        if (failures === 1)
          logger.warn('The jobs of worker groups are out of reach', { shard: this.shard, error });
      },
    });
  }
}
