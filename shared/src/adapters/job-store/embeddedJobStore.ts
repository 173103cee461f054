import { EngineUnavailable } from '../../ports/errors.js';
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
import { once } from '../../runtime/service.js';
import { createGroupCommit } from '../lmdb/groupCommit.js';
import { applyChanges, noJobs } from './changedGroup.js';
import { jobsByNumber, jobsBehind, putJobIds, recentJobIds } from './embeddedJobs.js';
import { JobBucket } from './jobBucket.js';
import {
  keysBeginning,
  openJobTables,
  putGroup,
  removeGroup,
  removeSomeJobs,
  type GroupEntry,
  type JobTables,
  type ShardEntry,
} from './jobTables.js';

interface Work {
  /** Returns what it resolves to, or an error that it rejects with: one that is thrown would undo what others do in the transaction. */
  readonly run: () => unknown;
  readonly bytes: number;
}

/** Jobs in an LMDB file. */
class EmbeddedJobStore implements JobStore {
  private readonly tables: JobTables;
  private cleaning: Promise<void> = Promise.resolve();
  private isOpen = true;

  private readonly commits = createGroupCommit<Work, unknown>({
    transact: (work) => this.tables.environment.transact(work),
    write: (works) => works.map(({ run }) => run()),
    committed: () => undefined,
    bytesOf: ({ bytes }) => bytes,
  });

  constructor(tables: JobTables) {
    this.tables = tables;
    // What was removed before the process ended.
    this.clean();
  }

  take(shard: number, term: number): Promise<StoredShard> {
    const { shards, ofShard } = this.tables;
    return this.transact(() => {
      const known = shards.get(shard);
      if (known !== undefined && known.term > term) return new StaleTerm(shard, term);
      const positions = known?.positions ?? [];
      shards.putSync(shard, { term, positions });
      const found = [...ofShard.getKeys(keysBeginning<number, string>(shard))];
      return {
        positions: new Map(positions),
        groups: found.flatMap(([, groupId]) => this.stored(groupId) ?? []),
      };
    });
  }

  async release(): Promise<void> {}

  async find(topic: string, name: string): Promise<StoredJobGroup | undefined> {
    this.assertOpen();
    const groupId = this.tables.named.get([topic, name]);
    return groupId === undefined ? undefined : this.stored(groupId);
  }

  async group(groupId: string): Promise<StoredJobGroup | undefined> {
    this.assertOpen();
    return this.stored(groupId);
  }

  async groupsOf(owner: string): Promise<readonly StoredJobGroup[]> {
    this.assertOpen();
    return this.idsOf(owner).flatMap((groupId) => this.stored(groupId) ?? []);
  }

  write(group: JobGroupRecord, term: number): Promise<void> {
    return this.owning(group.shard, term, () => putGroup(this.tables, group));
  }

  describe(group: JobGroupRecord, term: number): Promise<void> {
    return this.owning(group.shard, term, () => {
      if (this.tables.groups.get(group.groupId) !== undefined) putGroup(this.tables, group);
    });
  }

  commit(
    shard: number,
    term: number,
    changes: readonly JobChanges[],
    positions?: ReadingPositions,
  ): Promise<void> {
    const write = (known: ShardEntry): void => {
      for (const each of changes) this.change(each);
      if (positions === undefined) return;
      const moved = new Map([...known.positions, ...positions]);
      this.tables.shards.putSync(shard, { term, positions: [...moved] });
    };
    return this.owning(shard, term, write, bytesOf(changes));
  }

  async page(groupId: string, bounds: JobPageBounds): Promise<readonly StoredJob[]> {
    this.assertOpen();
    const entry = this.tables.groups.get(groupId);
    return entry === undefined ? [] : jobsBehind(this.tables, entry.number, bounds);
  }

  async get(groupId: string, seqs: readonly number[]): Promise<readonly StoredJob[]> {
    this.assertOpen();
    const entry = this.tables.groups.get(groupId);
    return entry === undefined ? [] : jobsByNumber(this.tables, entry.number, seqs);
  }

  async recentIds(groupId: string, since: number): Promise<readonly string[]> {
    this.assertOpen();
    const entry = this.tables.groups.get(groupId);
    return entry === undefined ? [] : recentJobIds(this.tables, entry.number, since);
  }

  async remove(groupId: string, term: number): Promise<void> {
    this.assertOpen();
    const entry = this.tables.groups.get(groupId);
    if (entry === undefined) return;
    await this.owning(entry.group.shard, term, () => this.removeEntries([groupId]));
    this.clean();
  }

  async removeOf(owners: readonly string[]): Promise<readonly string[]> {
    const removed = await this.transact(() =>
      owners.flatMap((owner) => {
        const found = this.idsOf(owner);
        this.removeEntries(found);
        return found;
      }),
    );
    this.clean();
    return removed;
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.assertOpen();
    return this.tables.progress.checkpoint;
  }

  async origin(): Promise<LogOrigin | undefined> {
    this.assertOpen();
    return this.tables.progress.origin;
  }

  async moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    await this.transact(() => this.tables.progress.move(position, origin));
  }

  readonly close = once(async () => {
    this.isOpen = false;
    await this.cleaning;
    await this.commits.idle();
    await this.tables.environment.close();
  });

  private stored(groupId: string): StoredJobGroup | undefined {
    const { groups, totals } = this.tables;
    const entry = groups.get(groupId);
    return entry && { ...entry.group, ...(totals.get(entry.number) ?? noJobs) };
  }

  private idsOf(owner: string): readonly string[] {
    const keys = this.tables.owned.getKeys(keysBeginning<string, string>(owner));
    return [...keys].map(([, groupId]) => groupId);
  }

  /** Within a transaction. */
  private change(changes: JobChanges): void {
    const { groups, totals, buckets, chunks } = this.tables;
    const entry = groups.get(changes.groupId);
    if (entry === undefined) return;
    const { number } = entry;
    const find = (bucket: number): JobBucket | undefined => {
      const found = buckets.get([number, bucket]);
      return found && JobBucket.decode(bucket, found);
    };
    const former = totals.get(number) ?? noJobs;
    putJobIds(this.tables, number, former.lastSeq, changes.add ?? []);
    const writes = applyChanges(former, changes, find);
    totals.putSync(number, writes.totals);
    for (const { first, content } of writes.chunks) chunks.putSync([number, first], content);
    for (const first of writes.emptyChunks) chunks.removeSync([number, first]);
    for (const bucket of writes.buckets)
      if (bucket.count > 0) buckets.putSync([number, bucket.number], bucket.encode());
      else buckets.removeSync([number, bucket.number]);
  }

  /** Within a transaction. */
  private removeEntries(groupIds: readonly string[]): void {
    for (const groupId of groupIds) {
      const entry: GroupEntry | undefined = this.tables.groups.get(groupId);
      if (entry !== undefined) removeGroup(this.tables, entry);
    }
  }

  /** In steps, so that what else is written has its turn. */
  private clean(): void {
    this.cleaning = this.cleaning.then(async () => {
      try {
        while (this.isOpen && (await this.transact(() => removeSomeJobs(this.tables))));
      } catch (error) {
        // The next removal, or start, goes on with it.
        if (!(error instanceof EngineUnavailable)) throw error;
      }
    });
  }

  private owning(
    shard: number,
    term: number,
    work: (known: ShardEntry) => void,
    bytes?: number,
  ): Promise<void> {
    return this.transact(() => {
      const known = this.tables.shards.get(shard);
      if (known?.term !== term) return new StaleTerm(shard, term);
      work(known);
      return undefined;
    }, bytes);
  }

  private async transact<T>(run: () => T | StaleTerm, bytes = 0): Promise<T> {
    this.assertOpen();
    let outcome: unknown;
    try {
      outcome = await this.commits.submit({ run, bytes });
    } catch (cause) {
      throw new EngineUnavailable('jobs', { cause });
    }
    if (outcome instanceof StaleTerm) throw outcome;
    return outcome as T;
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('jobs');
  }
}

const bytesOf = (changes: readonly JobChanges[]): number =>
  changes.reduce(
    (sum, { add = [] }) => sum + add.reduce((bytes, { message }) => bytes + message.length, 0),
    0,
  );

interface Files {
  file(name: string): string;
}

/** For a file that was put back: the terms of its owners may begin anew. */
export const forgetJobOwners = async (folder: Files): Promise<void> => {
  const { environment, shards } = await openJobTables(folder.file('jobs.lmdb'));
  try {
    await environment.transact(() => {
      for (const { key, value } of [...shards.getRange()]) shards.putSync(key, { ...value, term: 0 });
    });
  } finally {
    await environment.close();
  }
};

/** In `jobs.lmdb` in the data folder. */
export const openEmbeddedJobStore = async (folder: Files): Promise<JobStore> =>
  new EmbeddedJobStore(await openJobTables(folder.file('jobs.lmdb')));
