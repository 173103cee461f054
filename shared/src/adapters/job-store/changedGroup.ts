import type { JobChanges, NewJob, StoredJobGroup } from '../../ports/jobStore.js';
import { bucketOf, JobBucket } from './jobBucket.js';
import { chunksOf, type JobChunk } from './jobChunk.js';

export type GroupTotals = Pick<StoredJobGroup, 'depth' | 'bytes' | 'lastSeq' | 'collected'>;

export const noJobs: GroupTotals = { depth: 0, bytes: 0, lastSeq: 0, collected: -1 };

/** What is to be written of a group. */
export interface GroupWrites {
  readonly totals: GroupTotals;
  /** Those without jobs are to be removed. */
  readonly buckets: readonly JobBucket[];
  /** Numbers of those that got jobs. */
  readonly grown: ReadonlySet<number>;
  readonly chunks: readonly JobChunk[];
  /** Numbers of the first jobs of those that are to be removed. */
  readonly emptyChunks: readonly number[];
}

/** The buckets that changes look at, but for those that are new. */
export const bucketsOf = ({ changed = [], settled = [], add = [] }: JobChanges): ReadonlySet<number> => {
  const numbers = new Set<number>();
  for (const { seq } of changed) numbers.add(bucketOf(seq));
  for (const seq of settled) numbers.add(bucketOf(seq));
  for (const { seq } of add) numbers.add(bucketOf(seq));
  return numbers;
};

/** Applies changes to a group; `find` gives a bucket that has jobs, and `former` is changed with it. */
export const applyChanges = (
  former: GroupTotals,
  changes: JobChanges,
  find: (number: number) => JobBucket | undefined,
): GroupWrites => {
  const buckets = new Map<number, JobBucket | undefined>();
  const open = (number: number): JobBucket | undefined => {
    if (!buckets.has(number)) buckets.set(number, find(number));
    return buckets.get(number);
  };
  const touched = new Set<JobBucket>();
  const grown = new Set<number>();
  const chunks: JobChunk[] = [];
  let { depth, bytes, lastSeq, collected } = former;

  for (const [number, jobs] of byBucket(newJobs(changes, lastSeq))) {
    const bucket = open(number) ?? new JobBucket(number);
    buckets.set(number, bucket);
    for (const chunk of chunksOf(jobs)) {
      bucket.beginChunk(chunk.first);
      chunks.push(chunk);
    }
    for (const { seq, message } of jobs) {
      bucket.add(seq, message.length);
      bytes += message.length;
    }
    depth += jobs.length;
    grown.add(number);
    touched.add(bucket);
  }
  for (const progress of changes.changed ?? []) {
    const bucket = open(bucketOf(progress.seq));
    if (bucket?.change(progress) === true) touched.add(bucket);
  }
  for (const seq of changes.settled ?? []) {
    const bucket = open(bucketOf(seq));
    const before = bucket?.bytes ?? 0;
    if (bucket?.settle(seq) !== true) continue;
    touched.add(bucket);
    depth -= 1;
    bytes -= before - bucket.bytes;
  }
  lastSeq = Math.max(lastSeq, changes.add?.at(-1)?.seq ?? 0);
  collected = changes.collected ?? collected;
  const emptyChunks = [...touched].flatMap((bucket) => bucket.takeEmptyChunks());
  return { totals: { depth, bytes, lastSeq, collected }, buckets: [...touched], grown, chunks, emptyChunks };
};

/** A job that is settled with the changes that add it is not stored at all. */
const newJobs = ({ add = [], settled = [] }: JobChanges, lastSeq: number): readonly NewJob[] => {
  if (add.length === 0) return add;
  const done = new Set(settled.filter((seq) => seq > lastSeq));
  return add.filter(({ seq }) => seq > lastSeq && !done.has(seq));
};

const byBucket = (jobs: readonly NewJob[]): ReadonlyMap<number, readonly NewJob[]> => {
  const buckets = new Map<number, NewJob[]>();
  for (const job of jobs) {
    const number = bucketOf(job.seq);
    const found = buckets.get(number);
    if (found === undefined) buckets.set(number, [job]);
    else found.push(job);
  }
  return buckets;
};
