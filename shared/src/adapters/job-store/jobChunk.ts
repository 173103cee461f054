import { Buffer } from 'node:buffer';
import type { NewJob } from '../../ports/jobStore.js';
import { bucketOf, bucketSize } from './jobBucket.js';

/** Some jobs of a bucket, added together: they never change, and are removed when none of them waits. */
export interface JobChunk {
  /** The number of its first job. */
  readonly first: number;
  readonly content: Buffer;
}

/** More jobs make another chunk. */
const fullBytes = 64 * 1024;

/** Of each job: its index in the bucket, the lengths of id and message, `addedAt`; then both. */
const headerBytes = 14;

/** In the order of their numbers, all of one bucket. */
export const chunksOf = (jobs: readonly NewJob[]): readonly JobChunk[] => {
  const chunks: JobChunk[] = [];
  for (let from = 0, to = 0, bytes = 0; from < jobs.length; from = to, bytes = 0) {
    for (; to < jobs.length && bytes < fullBytes; to += 1) bytes += jobs[to]?.message.length ?? 0;
    chunks.push(chunkOf(jobs.slice(from, to)));
  }
  return chunks;
};

const chunkOf = (jobs: readonly NewJob[]): JobChunk => {
  const ids = jobs.map(({ id }) => Buffer.byteLength(id));
  const bytes = jobs.reduce((sum, { message }, n) => sum + headerBytes + (ids[n] ?? 0) + message.length, 0);
  const content = Buffer.allocUnsafe(bytes);
  let at = 0;
  jobs.forEach(({ seq, id, message, addedAt }, n) => {
    const idBytes = ids[n] ?? 0;
    content.writeUInt8(seq % bucketSize, at);
    content.writeUInt8(idBytes, at + 1);
    content.writeUInt32LE(message.length, at + 2);
    content.writeDoubleLE(addedAt, at + 6);
    content.write(id, at + headerBytes);
    content.set(message, at + headerBytes + idBytes);
    at += headerBytes + idBytes + message.length;
  });
  return { first: jobs[0]?.seq ?? 0, content };
};

/** By their numbers. The messages are views into the content. */
export const jobsIn = ({ first, content }: JobChunk): ReadonlyMap<number, NewJob> => {
  const jobs = new Map<number, NewJob>();
  const base = bucketOf(first) * bucketSize;
  for (let at = 0; at < content.length;) {
    const seq = base + content.readUInt8(at);
    const messageAt = at + headerBytes + content.readUInt8(at + 1);
    const id = content.toString('utf8', at + headerBytes, messageAt);
    const end = messageAt + content.readUInt32LE(at + 2);
    const addedAt = content.readDoubleLE(at + 6);
    jobs.set(seq, { seq, id, message: content.subarray(messageAt, end), addedAt });
    at = end;
  }
  return jobs;
};
