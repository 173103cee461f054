import { StaleTerm, type JobChanges } from '../../ports/jobStore.js';
import { durably } from '../mongo/connection.js';
import { applyChanges, bucketsOf, type GroupWrites } from './changedGroup.js';
import type { JobBucket } from './jobBucket.js';
import type { JobCollections } from './jobDocuments.js';
import { encodeJobIds, jobIdsWith, type JobIds } from './jobIds.js';
import { PartRefused, putParts, removeParts, type JobPart } from './mongoJobParts.js';
import type { OpenJobGroup } from './openJobGroup.js';

/** A group and what is to be written of it. */
interface Prepared {
  readonly group: OpenJobGroup;
  readonly writes: GroupWrites;
  readonly touched: ReadonlySet<JobBucket>;
  readonly numbers: OpenJobGroup['numbers'];
  /** Written before the group, as `early` is. */
  readonly ids: readonly JobIds[];
  /** Written before the group: what was added is only found with what the group says. */
  readonly early: readonly JobPart[];
  /** Written after it: until then the group knows how many jobs they should have. */
  readonly late: readonly JobPart[];
}

/**
 * Writes changes in an order in which the group itself is the moment when they happen: before it new jobs, after it what is settled. Where the
 * process ends between, the next owner finds by the counts of the group what is missing.
 */
export class MongoJobCommits {
  private readonly collections: JobCollections;

  constructor(collections: JobCollections) {
    this.collections = collections;
  }

  /** Resolves with the groups that are gone. */
  async write(
    shard: number,
    term: number,
    changes: readonly { readonly group: OpenJobGroup; readonly changes: JobChanges }[],
  ): Promise<readonly string[]> {
    try {
      const prepared = await Promise.all(changes.map((each) => this.prepare(each.group, each.changes)));
      await Promise.all(prepared.map((each) => this.writeJobs(each)));
      const gone = await this.writeGroups(shard, term, prepared);
      await Promise.all(
        prepared.map((each) => (gone.includes(each.group.groupId) ? this.undo(each) : this.finish(each))),
      );
      return gone;
    } catch (error) {
      if (error instanceof PartRefused) throw new StaleTerm(shard, term);
      throw error;
    }
  }

  private async prepare(group: OpenJobGroup, changes: JobChanges): Promise<Prepared> {
    const found = new Map<number, JobBucket>();
    const load = async (number: number): Promise<void> => {
      const bucket = await group.bucket(number);
      // Whoever reads meanwhile is to find what has been committed.
      if (bucket !== undefined) found.set(number, bucket.copy());
    };
    await Promise.all([...bucketsOf(changes)].map(load));
    const adds = (changes.add ?? []).some(({ seq }) => seq > group.totals.lastSeq);
    const unsure = adds ? group.unsureBucket : undefined;
    if (unsure !== undefined && !found.has(unsure)) await load(unsure);
    const writes = applyChanges(group.totals, changes, (number) => found.get(number));
    const ids = await this.idsOf(group, changes);

    const touched = new Set(writes.buckets);
    const last = unsure === undefined ? undefined : found.get(unsure);
    if (last !== undefined) touched.add(last);
    const alive = [...touched].filter(({ count }) => count > 0);
    const isEarly = ({ number }: JobBucket): boolean => writes.grown.has(number) || number === unsure;
    const emptied = new Set([...touched].filter(({ count }) => count === 0).map(({ number }) => number));
    const numbers = [...writes.grown].reduce((all, number) => all.with(number), group.numbers);
    return {
      ...{ group, writes, touched, ids, numbers: numbers.without(emptied) },
      early: alive.filter(isEarly).map(partOf),
      late: alive.filter((bucket) => !isEarly(bucket)).map(partOf),
    };
  }

  private async idsOf(group: OpenJobGroup, { add = [] }: JobChanges): Promise<readonly JobIds[]> {
    const { lastSeq } = group.totals;
    if (!add.some(({ seq, id }) => id !== undefined && seq > lastSeq)) return [];
    return jobIdsWith(add, lastSeq, await group.newestIds());
  }

  private async writeJobs({ group, writes, early, ids }: Prepared): Promise<void> {
    const chunks = writes.chunks.map(({ first, content }) => ({ number: first, content }));
    await Promise.all([
      putParts(this.collections.chunks, group, chunks),
      putParts(this.collections.buckets, group, early),
      putParts(
        this.collections.ids,
        group,
        ids.map((part) => ({ number: part.number, content: encodeJobIds(part) })),
      ),
    ]);
  }

  private async writeGroups(
    shard: number,
    term: number,
    prepared: readonly Prepared[],
  ): Promise<readonly string[]> {
    if (prepared.length === 0) return [];
    const operations = prepared.map(({ group, writes, touched, numbers, ids }) => {
      const counted = group.countedWith([...touched], writes.totals.lastSeq);
      const last = ids.at(-1);
      const set = {
        ...{ totals: writes.totals, buckets: numbers.toString(), counted, isRestored: false },
        ...(last && { lastIds: { bucket: last.number, at: last.at } }),
      };
      const filter = { _id: group.groupId, term, isRemoved: false };
      return { updateOne: { filter, update: { $set: set } } };
    });
    const { matchedCount } = await this.collections.groups.bulkWrite(operations, {
      ordered: false,
      ...durably,
    });
    if (matchedCount === operations.length) return [];
    const owned = await this.collections.shards.findOne({ _id: shard, term });
    if (owned === null) throw new StaleTerm(shard, term);
    const ids = prepared.map(({ group }) => group.groupId);
    const there = await this.collections.groups
      .find({ shard, isRemoved: false }, { projection: { _id: 1 } })
      .toArray();
    return ids.filter((id) => !there.some(({ _id }) => _id === id));
  }

  private async finish({ group, writes, touched, numbers, late, ids }: Prepared): Promise<void> {
    await putParts(this.collections.buckets, group, late);
    const emptied = [...touched].filter(({ count }) => count === 0).map(({ number }) => number);
    await removeParts(this.collections.buckets, group, emptied);
    await removeParts(this.collections.chunks, group, writes.emptyChunks);
    await removeParts(this.collections.ids, group, group.outdatedIds(ids.at(-1)));
    group.committedIds(ids.at(-1));
    group.committed(writes, [...touched], numbers);
  }

  /** The group was removed meanwhile, and perhaps all that it had. */
  private async undo({ group, writes, early, ids }: Prepared): Promise<void> {
    const numbersOf = (parts: readonly { readonly number: number }[]) => parts.map(({ number }) => number);
    await removeParts(this.collections.buckets, group, numbersOf(early));
    await removeParts(this.collections.ids, group, numbersOf(ids));
    await removeParts(
      this.collections.chunks,
      group,
      writes.chunks.map(({ first }) => first),
    );
  }
}

const partOf = (bucket: JobBucket): JobPart => ({ number: bucket.number, content: bucket.encode() });
