import { Buffer } from 'node:buffer';
import type { JobProgress, NewJob, StoredJob } from '../../ports/jobStore.js';
import { bucketSize } from './jobBucket.js';

/** Some jobs of a bucket, added together: they never change, and are removed when none of them waits. */
export interface JobChunk {
  /** The number of its first job. */
  readonly first: number;
  readonly content: Buffer;
}

/** More jobs make another chunk. */
const fullBytes = 64 * 1024;

/** Of each job: its index in the bucket, the length of the message, `addedAt`; then the message. */
const headerBytes = 13;

/** In the order of their numbers, all of one bucket. */
export const chunksOf = (jobs: readonly NewJob[]): readonly JobChunk[] => {
  const chunks: JobChunk[] = [];
  for (let from = 0, to = 0, bytes = 0; from < jobs.length; from = to, bytes = 0) {
    for (; to < jobs.length && bytes < fullBytes; to += 1) bytes += jobs[to]?.message.length ?? 0;
    chunks.push(chunkOf(jobs.slice(from, to), bytes));
  }
  return chunks;
};

const chunkOf = (jobs: readonly NewJob[], messageBytes: number): JobChunk => {
  const content = Buffer.allocUnsafe(messageBytes + jobs.length * headerBytes);
  let at = 0;
  for (const { seq, message, addedAt } of jobs) {
    content.writeUInt8(seq % bucketSize, at);
    content.writeUInt32LE(message.length, at + 1);
    content.writeDoubleLE(addedAt, at + 5);
    content.set(message, at + headerBytes);
    at += headerBytes + message.length;
  }
  return { first: jobs[0]?.seq ?? 0, content };
};

/** Finds jobs of a chunk whose numbers rise. */
export class ChunkReader {
  readonly first: number;
  private readonly content: Buffer;
  private at = 0;

  constructor({ first, content }: JobChunk) {
    this.first = first;
    this.content = content;
  }

  /** Its message is a view into the content. Undefined where the chunk does not have it. */
  job(seq: number, { deliveries, counted, dueAt }: Omit<JobProgress, 'seq'>): StoredJob | undefined {
    const { content } = this;
    const index = seq % bucketSize;
    while (this.at < content.length) {
      const begin = this.at + headerBytes;
      const end = begin + content.readUInt32LE(this.at + 1);
      const found = content.readUInt8(this.at);
      if (found > index) return undefined;
      const addedAt = content.readDoubleLE(this.at + 5);
      this.at = end;
      // Without a spread: there are many thousands a second.
      if (found === index)
        return { seq, message: content.subarray(begin, end), addedAt, deliveries, counted, dueAt };
    }
    return undefined;
  }
}
