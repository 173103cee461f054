import type { JobPageBounds, StoredJob } from '../../ports/jobStore.js';
import { readLimits } from '../mongo/connection.js';
import { bucketOf, type JobBucket } from './jobBucket.js';
import { ChunkReader } from './jobChunk.js';
import { partId, type JobCollections } from './jobDocuments.js';
import { decodeJobIds, idsSince, keptJobIds, type JobIds } from './jobIds.js';
import { bytesOf, type OpenJobGroup } from './openJobGroup.js';

type Chunks = JobCollections['chunks'];

/** Chunks that are read at the same time. */
const chunksAtOnce = 16;

/** The next jobs of a group. */
export const jobsBehind = async (
  chunks: Chunks,
  group: OpenJobGroup,
  { after, jobs, bytes }: JobPageBounds,
): Promise<readonly StoredJob[]> => {
  const { numbers } = group;
  const page: StoredJob[] = [];
  let total = 0;
  for (
    let number = numbers.next(bucketOf(after + 1));
    number !== undefined;
    number = numbers.next(number + 1)
  ) {
    const bucket = await group.bucket(number);
    const seqs = bucket === undefined ? [] : [...bucket.seqsAfter(after)].slice(0, jobs - page.length);
    for await (const job of bucket === undefined ? [] : storedJobs(chunks, group.groupId, bucket, seqs)) {
      total += job.message.length;
      if (page.length > 0 && total > bytes) return page;
      page.push(job);
    }
    if (page.length >= jobs) return page;
  }
  return page;
};

export const jobsByNumber = async (
  chunks: Chunks,
  group: OpenJobGroup,
  seqs: readonly number[],
): Promise<readonly StoredJob[]> => {
  const wanted = new Map<number, number[]>();
  for (const seq of [...new Set(seqs)].sort((one, other) => one - other)) {
    const inBucket = wanted.get(bucketOf(seq));
    if (inBucket === undefined) wanted.set(bucketOf(seq), [seq]);
    else inBucket.push(seq);
  }
  const found: StoredJob[] = [];
  for (const [number, ofBucket] of wanted) {
    const bucket = await group.bucket(number);
    if (bucket === undefined) continue;
    const there = ofBucket.filter((seq) => bucket.has(seq));
    for await (const job of storedJobs(chunks, group.groupId, bucket, there)) found.push(job);
  }
  return found;
};

/** Parts that are read at the same time. */
const idsAtOnce = 20;

export const recentJobIds = async (
  ids: JobCollections['ids'],
  group: OpenJobGroup,
  since: number,
): Promise<readonly string[]> => {
  const { lastSeq } = group.totals;
  if (group.idsAt === undefined || group.idsAt < since) return [];
  const parts: JobIds[] = [];
  const newest = bucketOf(lastSeq);
  for (let behind = 0; behind < keptJobIds; behind += idsAtOnce) {
    const numbers = Array.from({ length: idsAtOnce }, (_, n) => newest - behind - n);
    const byId = new Map(numbers.map((number) => [partId(group.groupId, number), number]));
    const found = await ids.find({ _id: { $in: [...byId.keys()] } }, readLimits()).toArray();
    const some = found.map((part) => decodeJobIds(byId.get(part._id) as number, bytesOf(part)));
    parts.push(...some);
    if (some.some(({ at }) => at < since)) break;
  }
  return idsSince(parts, since, lastSeq);
};

/** Of a bucket, in the order of the numbers. One whose message is gone was settled meanwhile. */
async function* storedJobs(
  chunks: Chunks,
  groupId: string,
  bucket: JobBucket,
  seqs: readonly number[],
): AsyncGenerator<StoredJob> {
  const firsts = [...new Set(seqs.map((seq) => bucket.chunkOf(seq)))];
  const read = async (first: number): Promise<ChunkReader | undefined> => {
    const found = await chunks.findOne({ _id: partId(groupId, first) }, readLimits());
    return found === null ? undefined : new ChunkReader({ first, content: bytesOf(found) });
  };
  for (let from = 0; from < firsts.length; from += chunksAtOnce) {
    const some = firsts.slice(from, from + chunksAtOnce);
    const readers = new Map((await Promise.all(some.map(read))).map((reader) => [reader?.first, reader]));
    for (const seq of seqs) {
      const job = readers.get(bucket.chunkOf(seq))?.job(seq, bucket.progressOf(seq));
      if (job !== undefined) yield job;
    }
  }
}
