import type { Buffer } from 'node:buffer';
import type { JobPageBounds, NewJob, StoredJob } from '../../ports/jobStore.js';
import { bucketOf, JobBucket } from './jobBucket.js';
import { ChunkReader } from './jobChunk.js';
import { decodeJobIds, encodeJobIds, idsSince, jobIdsWith, keptJobIds } from './jobIds.js';
import { keysBeginning, type JobKey, type JobTables } from './jobTables.js';

type Tables = Pick<JobTables, 'buckets' | 'chunks'>;

/** The next jobs of a group, by its number. */
export const jobsBehind = (
  tables: Tables,
  group: number,
  { after, jobs, bytes }: JobPageBounds,
): readonly StoredJob[] => {
  const messages = new Messages(tables, group);
  const page: StoredJob[] = [];
  let total = 0;
  const range = { ...keysBeginning<number, number>(group), start: [group, bucketOf(after + 1)] as JobKey };
  for (const { key, value } of tables.buckets.getRange(range)) {
    const bucket = JobBucket.decode(key[1], value);
    for (const seq of bucket.seqsAfter(after)) {
      if (page.length >= jobs) return page;
      const job = messages.of(bucket, seq);
      total += job.message.length;
      if (page.length > 0 && total > bytes) return page;
      page.push(job);
    }
  }
  return page;
};

export const jobsByNumber = (
  tables: Tables,
  group: number,
  seqs: readonly number[],
): readonly StoredJob[] => {
  const messages = new Messages(tables, group);
  const found: StoredJob[] = [];
  let bucket: JobBucket | undefined;
  for (const seq of [...new Set(seqs)].sort((a, b) => a - b)) {
    const number = bucketOf(seq);
    if (bucket?.number !== number) {
      const value = tables.buckets.get([group, number]);
      bucket = value && JobBucket.decode(number, value);
    }
    if (bucket?.has(seq) === true) found.push(messages.of(bucket, seq));
  }
  return found;
};

export const recentJobIds = (
  { ids, totals }: Pick<JobTables, 'ids' | 'totals'>,
  group: number,
  since: number,
): readonly string[] => {
  const found = ids.getRange(keysBeginning<number, number>(group));
  const parts = [...found].map(({ key, value }) => decodeJobIds(key[1], value));
  return idsSince(parts, since, totals.get(group)?.lastSeq ?? 0);
};

/** Within a transaction: those that come with new jobs. */
export const putJobIds = (
  { ids }: Pick<JobTables, 'ids'>,
  group: number,
  lastSeq: number,
  add: readonly NewJob[],
): void => {
  const number = bucketOf(lastSeq);
  const known = ids.get([group, number]);
  const parts = jobIdsWith(add, lastSeq, known && decodeJobIds(number, known));
  for (const part of parts) ids.putSync([group, part.number], encodeJobIds(part) as Buffer);
  const newest = parts.at(-1)?.number;
  if (newest === undefined || (known !== undefined && newest === number)) return;
  // Many buckets may have come without an id.
  const outdated = ids.getKeys({ start: [group, 0], end: [group, newest - keptJobIds + 1] });
  for (const key of [...outdated]) ids.removeSync(key);
};

/** Reads the messages of jobs whose numbers rise. */
class Messages {
  private readonly tables: Tables;
  private readonly group: number;
  private chunk: ChunkReader | undefined;

  constructor(tables: Tables, group: number) {
    this.tables = tables;
    this.group = group;
  }

  of(bucket: JobBucket, seq: number): StoredJob {
    const first = bucket.chunkOf(seq);
    if (this.chunk?.first !== first) {
      const content = this.tables.chunks.get([this.group, first]);
      this.chunk = content && new ChunkReader({ first, content });
    }
    const job = this.chunk?.job(seq, bucket.progressOf(seq));
    if (job === undefined) throw new Error(`The message of job ${seq} of a worker group is not stored`);
    return job;
  }
}
