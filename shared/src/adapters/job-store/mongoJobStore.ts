import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import {
  StaleTerm,
  type JobChanges,
  type JobGroupRecord,
  type JobPageBounds,
  type JobStore,
  type ReadingPositions,
  type StoredJob,
  type StoredJobGroup,
  type StoredShard,
} from '../../ports/jobStore.js';
import { makeIndex, retryingDuplicates } from '../mongo/collections.js';
import {
  durably,
  openOnMongo,
  readLimits,
  type MongoConnection,
  type MongoOptions,
} from '../mongo/connection.js';
import { isDuplicateKey } from '../mongo/errors.js';
import { FollowProgress } from '../mongo/followProgress.js';
import { noJobs } from './changedGroup.js';
import { jobCollections, partId, type GroupDocument, type JobCollections } from './jobDocuments.js';
import { idsOf } from './jobOwners.js';
import { MongoJobCommits } from './mongoJobCommits.js';
import { fenceParts } from './mongoJobParts.js';
import { MongoJobRemovals } from './mongoJobRemovals.js';
import { jobsBehind, jobsByNumber, recentJobIds } from './mongoJobs.js';
import { OpenJobGroup } from './openJobGroup.js';

/** Groups that are read at the same time when a shard is taken. */
const openedAtOnce = 16;

interface OwnedShard {
  readonly term: number;
  positions: ReadingPositions;
}

/** Jobs in collections of MongoDB: the jobs of a group in buckets, their messages in chunks. */
class MongoJobStore implements JobStore {
  private readonly connection: MongoConnection;
  private readonly collections: JobCollections;
  private readonly commits: MongoJobCommits;
  private readonly removals: MongoJobRemovals;
  private readonly progress: FollowProgress;
  private readonly owned = new Map<number, OwnedShard>();
  private readonly open = new Map<string, OpenJobGroup>();
  /** How often one was forgotten. */
  private dropped = 0;
  private readonly working = new Set<Promise<unknown>>();

  constructor(connection: MongoConnection) {
    this.connection = connection;
    this.collections = jobCollections(connection.database);
    this.commits = new MongoJobCommits(this.collections);
    this.removals = new MongoJobRemovals(connection, this.collections);
    this.progress = new FollowProgress(connection, 'jobProgress', durably);
  }

  async prepare(): Promise<void> {
    const { groups, buckets, chunks, ids } = this.collections;
    await this.connection.call(async () => {
      for (const field of ['shard', 'owners', 'topic']) await makeIndex(groups, { [field]: 1 });
      for (const parts of [buckets, chunks, ids]) await makeIndex(parts, { groupId: 1 });
    });
  }

  take(shard: number, term: number): Promise<StoredShard> {
    return this.call(async () => {
      const positions = await this.claim(shard, term);
      this.owned.set(shard, { term, positions });
      const { groups } = this.collections;
      await groups.updateMany({ shard, term: { $lt: term } }, { $set: { term } }, durably);
      const found = await groups.find({ shard }, readLimits()).toArray();
      const stored: StoredJobGroup[] = [];
      for (let from = 0; from < found.length; from += openedAtOnce) {
        const some = found.slice(from, from + openedAtOnce);
        // What the former owner has not written of its last commit by now would not be seen here.
        await fenceParts(this.collections.buckets, term, some.flatMap(countedParts));
        for (const group of await Promise.all(some.map((document) => this.begin(document))))
          if (group !== undefined) stored.push(group);
      }
      return { groups: stored, positions };
    });
  }

  async release(shard: number, term: number): Promise<void> {
    if (this.owned.get(shard)?.term === term) this.owned.delete(shard);
    for (const [groupId, group] of this.open)
      if (group.shard === shard && group.term <= term) this.open.delete(groupId);
  }

  find(topic: string, name: string): Promise<StoredJobGroup | undefined> {
    return this.call(async () => {
      const found = await this.collections.groups.find({ topic, isRemoved: false }, readLimits()).toArray();
      const named = found.find(({ group }) => group.name === name);
      return named && storedGroup(named);
    });
  }

  group(groupId: string): Promise<StoredJobGroup | undefined> {
    return this.call(async () => {
      const found = await this.collections.groups.findOne({ _id: groupId, isRemoved: false }, readLimits());
      return found === null ? undefined : storedGroup(found);
    });
  }

  groupsOf(owner: string): Promise<readonly StoredJobGroup[]> {
    return this.call(async () => {
      const filter = { owners: owner, isRemoved: false };
      return (await this.collections.groups.find(filter, readLimits()).toArray()).map(storedGroup);
    });
  }

  write(group: JobGroupRecord, term: number): Promise<void> {
    return this.call(async () => {
      const { groupId: _id, shard, topic, owners } = group;
      this.requireOwned(shard, term);
      const { groups } = this.collections;
      const replaced = await groups.updateOne({ _id, term, isRemoved: false }, { $set: { group } }, durably);
      if (replaced.matchedCount > 0) return;
      const document: GroupDocument = {
        ...{ _id, shard, term, topic, owners: idsOf(owners), isRemoved: false, group },
        ...{ totals: noJobs, buckets: '', counted: [] },
      };
      try {
        await groups.insertOne(document, durably);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // Of one whose parts are still being removed nothing is said any more.
        if ((await groups.countDocuments({ _id, isRemoved: true }, readLimits())) > 0) return;
        throw new StaleTerm(shard, term);
      }
      // Whoever has taken the shard meanwhile may not have found it.
      if (await this.isOwner(shard, term)) return;
      await groups.deleteOne({ _id, term });
      throw this.stale(shard, term);
    });
  }

  describe(group: JobGroupRecord, term: number): Promise<void> {
    return this.call(async () => {
      const { groupId: _id, shard } = group;
      this.requireOwned(shard, term);
      const filter = { _id, term, isRemoved: false };
      const replaced = await this.collections.groups.updateOne(filter, { $set: { group } }, durably);
      if (replaced.matchedCount === 0 && !(await this.isOwner(shard, term))) throw this.stale(shard, term);
    });
  }

  commit(
    shard: number,
    term: number,
    changes: readonly JobChanges[],
    positions?: ReadingPositions,
  ): Promise<void> {
    return this.call(async () => {
      const known = this.requireOwned(shard, term);
      try {
        const opened = await Promise.all(
          changes.map(async (each) => ({ changes: each, group: await this.opened(each.groupId) })),
        );
        const there = opened.flatMap(({ group, changes: of }) =>
          group?.term === term ? [{ group, changes: of }] : [],
        );
        for (const groupId of await this.commits.write(shard, term, there)) this.drop(groupId);
        if (positions !== undefined) await this.move(shard, known, positions);
      } catch (error) {
        // Whatever was written of it is found when they are opened again.
        for (const { groupId } of changes) this.drop(groupId);
        if (error instanceof StaleTerm) this.stale(shard, term);
        throw error;
      }
    });
  }

  page(groupId: string, bounds: JobPageBounds): Promise<readonly StoredJob[]> {
    return this.call(async () => {
      const group = await this.opened(groupId);
      return group === undefined ? [] : jobsBehind(this.collections.chunks, group, bounds);
    });
  }

  get(groupId: string, seqs: readonly number[]): Promise<readonly StoredJob[]> {
    return this.call(async () => {
      const group = await this.opened(groupId);
      return group === undefined ? [] : jobsByNumber(this.collections.chunks, group, seqs);
    });
  }

  recentIds(groupId: string, since: number): Promise<readonly string[]> {
    return this.call(async () => {
      const group = await this.opened(groupId);
      return group === undefined ? [] : recentJobIds(this.collections.ids, group, since);
    });
  }

  remove(groupId: string, term: number): Promise<void> {
    return this.call(async () => {
      const { groups } = this.collections;
      const filter = { _id: groupId, term, isRemoved: false };
      const marked = await groups.updateOne(filter, { $set: { isRemoved: true } }, durably);
      const found = marked.matchedCount > 0 ? null : await groups.findOne({ _id: groupId, isRemoved: false });
      if (found !== null) throw this.stale(found.shard, term);
      this.forget(groupId);
    });
  }

  removeOf(owners: readonly string[]): Promise<readonly string[]> {
    return this.call(async () => {
      const { groups } = this.collections;
      const filter = { owners: { $in: owners }, isRemoved: false };
      const found = await groups.find(filter, { projection: { _id: 1 }, ...readLimits() }).toArray();
      const ids = found.map(({ _id }) => _id);
      await groups.updateMany({ _id: { $in: ids } }, { $set: { isRemoved: true } }, durably);
      for (const groupId of ids) this.forget(groupId);
      return ids;
    });
  }

  checkpoint(): Promise<LogPosition | undefined> {
    return this.progress.checkpoint();
  }

  origin(): Promise<LogOrigin | undefined> {
    return this.progress.origin();
  }

  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    return this.progress.move(position, origin);
  }

  async close(): Promise<void> {
    await this.connection.close(async () => {
      await Promise.all([...this.working, this.removals.stop()]);
    });
  }

  private call<T>(action: () => Promise<T>): Promise<T> {
    const called = this.connection.call(action);
    const settled = called.then(
      () => undefined,
      () => undefined,
    );
    this.working.add(settled);
    void settled.then(() => this.working.delete(settled));
    return called;
  }

  /** Its positions. */
  private async claim(shard: number, term: number): Promise<ReadingPositions> {
    const filter = { _id: shard, term: { $lte: term } };
    const options = { upsert: true, returnDocument: 'after', ...durably } as const;
    try {
      const taken = await retryingDuplicates(() =>
        this.collections.shards.findOneAndUpdate(filter, { $set: { term } }, options),
      );
      return new Map((taken?.positions ?? []).map(({ partition, offset }) => [partition, offset]));
    } catch (error) {
      throw isDuplicateKey(error) ? this.stale(shard, term) : error;
    }
  }

  /** Undefined for one that is being removed. */
  private async begin(document: GroupDocument): Promise<StoredJobGroup | undefined> {
    if (document.isRemoved) {
      this.forget(document._id);
      return undefined;
    }
    const group = await OpenJobGroup.open(this.collections, document);
    if (this.owns(group)) this.open.set(document._id, group);
    return { ...document.group, ...group.totals };
  }

  private async opened(groupId: string): Promise<OpenJobGroup | undefined> {
    for (;;) {
      const known = this.open.get(groupId);
      if (known !== undefined) return known;
      const { dropped } = this;
      const found = await this.collections.groups.findOne({ _id: groupId, isRemoved: false }, readLimits());
      if (found === null) return undefined;
      const group = await OpenJobGroup.open(this.collections, found);
      // Whoever reads late of a shard that it has lost is to leave nothing here.
      if (!this.owns(group)) return group;
      // It may have been read before what made others forget it, or be open by now.
      if (dropped !== this.dropped || this.open.has(groupId)) continue;
      this.open.set(groupId, group);
      return group;
    }
  }

  private drop(groupId: string): void {
    this.dropped += 1;
    this.open.delete(groupId);
  }

  private async move(shard: number, known: OwnedShard, positions: ReadingPositions): Promise<void> {
    const { term } = known;
    const moved = new Map([...known.positions, ...positions]);
    const written = Array.from(moved, ([partition, offset]) => ({ partition, offset }));
    const update = { $set: { positions: written } };
    const { matchedCount } = await this.collections.shards.updateOne({ _id: shard, term }, update, durably);
    if (matchedCount === 0) throw this.stale(shard, term);
    known.positions = moved;
  }

  private requireOwned(shard: number, term: number): OwnedShard {
    const known = this.owned.get(shard);
    if (known?.term !== term) throw new StaleTerm(shard, term);
    return known;
  }

  private owns({ shard, term }: OpenJobGroup): boolean {
    return this.owned.get(shard)?.term === term;
  }

  private async isOwner(shard: number, term: number): Promise<boolean> {
    return (await this.collections.shards.findOne({ _id: shard, term }, readLimits())) !== null;
  }

  private stale(shard: number, term: number): StaleTerm {
    if (this.owned.get(shard)?.term === term) this.owned.delete(shard);
    return new StaleTerm(shard, term);
  }

  private forget(groupId: string): void {
    this.drop(groupId);
    this.removals.begin(groupId);
  }
}

/** The buckets of its last commit, which may still be on their way. */
const countedParts = ({ _id, counted }: GroupDocument): readonly string[] =>
  counted.map(({ bucket }) => partId(_id, bucket));

const storedGroup = ({ group, totals }: GroupDocument): StoredJobGroup => ({ ...group, ...totals });

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoJobStore = (options: MongoOptions): Promise<JobStore> =>
  openOnMongo(options, 'jobs', async (connection) => {
    const store = new MongoJobStore(connection);
    await store.prepare();
    return store;
  });
