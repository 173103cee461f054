import { Buffer } from 'node:buffer';
import { readLimits } from '../mongo/connection.js';
import { BucketNumbers } from './bucketNumbers.js';
import type { GroupTotals, GroupWrites } from './changedGroup.js';
import { bucketOf, JobBucket } from './jobBucket.js';
import { decodeJobIds, type JobIds, keptJobIds } from './jobIds.js';
import { partId, type GroupDocument, type JobCollections } from './jobDocuments.js';

type Counted = GroupDocument['counted'][number];

const countedOf = ({ number, count, bytes }: JobBucket): Counted => ({ bucket: number, jobs: count, bytes });

/** Buckets that are remembered of a group, about. */
const remembered = 512;

/** A group as its owner knows it. */
export class OpenJobGroup {
  readonly groupId: string;
  readonly shard: number;
  readonly term: number;
  private current: GroupTotals;
  private live: BucketNumbers;
  private readonly collections: JobCollections;
  private readonly buckets = new Map<number, JobBucket>();
  /** Of the bucket of the last job, where it has any: it may be written before the group is. */
  private lastCounted: Counted | undefined;
  /** Undefined where it has none, or they have not been read. */
  private knownIds: JobIds | undefined;
  private lastIds: GroupDocument['lastIds'];
  /** What an earlier owner has added behind this, and not told the group, may be in the same bucket; undefined once it was written. */
  private unsureBehind: number | undefined;

  constructor(collections: JobCollections, document: GroupDocument) {
    this.collections = collections;
    this.groupId = document._id;
    this.shard = document.shard;
    this.term = document.term;
    this.current = document.totals;
    this.unsureBehind = document.totals.lastSeq;
    this.live = BucketNumbers.parse(document.buckets);
    this.lastIds = document.lastIds;
  }

  /** With the counts of what is really there, where a commit was broken off. */
  static async open(collections: JobCollections, document: GroupDocument): Promise<OpenJobGroup> {
    const group = new OpenJobGroup(collections, document);
    await (document.isRestored === true ? group.countAll() : group.correct(document.counted));
    const last = await group.bucket(bucketOf(document.totals.lastSeq));
    group.lastCounted = last && countedOf(last);
    return group;
  }

  get totals(): GroupTotals {
    return this.current;
  }

  get numbers(): BucketNumbers {
    return this.live;
  }

  /** To be written before jobs are added, wherever they go. */
  get unsureBucket(): number | undefined {
    const number = this.unsureBehind === undefined ? undefined : bucketOf(this.unsureBehind);
    return number !== undefined && this.live.has(number) ? number : undefined;
  }

  /** For the document, where these buckets are changed. */
  countedWith(changed: readonly JobBucket[], lastSeq: number): readonly Counted[] {
    const counted = changed.filter(({ count }) => count > 0).map(countedOf);
    const last = this.lastCounted;
    const isCarried =
      last !== undefined &&
      last.bucket === bucketOf(lastSeq) &&
      !changed.some(({ number }) => number === last.bucket);
    return isCarried ? [...counted, last] : counted;
  }

  /** When the last ids came; undefined without any. */
  get idsAt(): number | undefined {
    return this.lastIds?.at;
  }

  /** Of the bucket of its last job. */
  async newestIds(): Promise<JobIds | undefined> {
    const number = bucketOf(this.current.lastSeq);
    if (this.lastIds?.bucket !== number) return undefined;
    if (this.knownIds?.number === number) return this.knownIds;
    const _id = partId(this.groupId, number);
    const found = await this.collections.ids.findOne({ _id }, readLimits());
    return found === null ? undefined : decodeJobIds(number, bytesOf(found));
  }

  /** The parts of ids that are too old once these are the newest, also where jobs of many buckets came without an id. */
  outdatedIds(newest: JobIds | undefined): readonly number[] {
    const before = this.lastIds?.bucket;
    if (newest === undefined || before === undefined) return [];
    const last = Math.min(before, newest.number - keptJobIds);
    const first = before - keptJobIds + 1;
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n);
  }

  committedIds(ids: JobIds | undefined): void {
    if (ids === undefined) return;
    this.knownIds = ids;
    this.lastIds = { bucket: ids.number, at: ids.at };
  }

  committed({ totals, grown }: GroupWrites, changed: readonly JobBucket[], numbers: BucketNumbers): void {
    this.lastCounted = this.countedWith(changed, totals.lastSeq).find(
      ({ bucket }) => bucket === bucketOf(totals.lastSeq),
    );
    if (grown.size > 0) this.unsureBehind = undefined;
    [this.current, this.live] = [totals, numbers];
    for (const bucket of changed)
      if (bucket.count > 0) this.remember(bucket);
      else this.buckets.delete(bucket.number);
  }

  /** Undefined for one without jobs. */
  async bucket(number: number): Promise<JobBucket | undefined> {
    if (!this.live.has(number)) return undefined;
    const known = this.buckets.get(number);
    if (known !== undefined) return known;
    const _id = partId(this.groupId, number);
    const found = await this.collections.buckets.findOne({ _id }, readLimits());
    // Somebody else who asked for it may have been faster.
    const bucket =
      this.buckets.get(number) ??
      (found === null ? new JobBucket(number) : JobBucket.decode(number, bytesOf(found)));
    this.leaveOutUncommitted(bucket);
    this.remember(bucket);
    return bucket;
  }

  private remember(bucket: JobBucket): void {
    this.buckets.set(bucket.number, bucket);
    if (this.buckets.size <= remembered) return;
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }

  /** What an owner has added that did not come to tell the group comes again, and may be something else. */
  private leaveOutUncommitted(bucket: JobBucket): void {
    const behind = this.unsureBehind;
    if (behind === undefined || bucket.number !== bucketOf(behind)) return;
    bucket.cutBehind(behind);
  }

  private async correct(counted: GroupDocument['counted']): Promise<void> {
    for (const { bucket: number, jobs, bytes } of counted) {
      const bucket = await this.bucket(number);
      const { depth, bytes: total } = this.current;
      this.current = {
        ...this.current,
        depth: depth + (bucket?.count ?? 0) - jobs,
        bytes: total + (bucket?.bytes ?? 0) - bytes,
      };
    }
  }

  private async countAll(): Promise<void> {
    let [depth, bytes] = [0, 0];
    for (let number = this.live.next(0); number !== undefined; number = this.live.next(number + 1)) {
      const bucket = await this.bucket(number);
      depth += bucket?.count ?? 0;
      bytes += bucket?.bytes ?? 0;
    }
    this.current = { ...this.current, depth, bytes };
  }
}

/** Of a part. */
export const bytesOf = ({ content }: { readonly content: { value(): Uint8Array } }): Buffer => {
  const { buffer, byteOffset, byteLength } = content.value();
  return Buffer.from(buffer, byteOffset, byteLength);
};
