import { Buffer } from 'node:buffer';
import type { JobProgress } from '../../ports/jobStore.js';

/** Jobs of a group whose numbers differ in this last part alone share a bucket. */
export const bucketSize = 256;

export const bucketOf = (seq: number): number => Math.floor(seq / bucketSize);

type Progress = Omit<JobProgress, 'seq'>;

const notBegun: Progress = { deliveries: 0, counted: 0, dueAt: 0 };

const headerBytes = 4;
const progressBytes = 13;

/** Which of its jobs wait, what is known of them, and in which chunks their messages are. */
export class JobBucket {
  readonly number: number;
  /** One more than the bytes of the message; 0 where no job waits. */
  private readonly sizes = new Uint32Array(bucketSize);
  private readonly progress = new Map<number, Progress>();
  /** Indexes of the jobs with which the chunks begin, in their order. */
  private chunks: number[] = [];
  private waiting = 0;
  private total = 0;

  constructor(number: number) {
    this.number = number;
  }

  static decode(number: number, encoded: Uint8Array): JobBucket {
    const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
    const bucket = new JobBucket(number);
    const [jobs, chunks] = [bytes.readUInt16LE(0), bytes.readUInt16LE(2)];
    let at = headerBytes;
    for (let index = 0; index < jobs; index += 1, at += 4) {
      const size = bytes.readUInt32LE(at);
      if (size > 0) bucket.put(index, size);
    }
    bucket.chunks = [...bytes.subarray(at, at + chunks)];
    for (at += chunks; at < bytes.length; at += progressBytes)
      bucket.progress.set(bytes.readUInt8(at), {
        deliveries: bytes.readUInt16LE(at + 1),
        counted: bytes.readUInt16LE(at + 3),
        dueAt: bytes.readDoubleLE(at + 5),
      });
    return bucket;
  }

  copy(): JobBucket {
    return JobBucket.decode(this.number, this.encode());
  }

  encode(): Buffer {
    const jobs = this.sizes.findLastIndex((size) => size > 0) + 1;
    const progressAt = headerBytes + jobs * 4 + this.chunks.length;
    const bytes = Buffer.allocUnsafe(progressAt + this.progress.size * progressBytes);
    bytes.writeUInt16LE(jobs, 0);
    bytes.writeUInt16LE(this.chunks.length, 2);
    for (let index = 0; index < jobs; index += 1)
      bytes.writeUInt32LE(this.sizes[index] ?? 0, headerBytes + index * 4);
    bytes.set(this.chunks, headerBytes + jobs * 4);
    let at = progressAt;
    for (const [index, { deliveries, counted, dueAt }] of this.progress) {
      bytes.writeUInt8(index, at);
      bytes.writeUInt16LE(deliveries, at + 1);
      bytes.writeUInt16LE(counted, at + 3);
      bytes.writeDoubleLE(dueAt, at + 5);
      at += progressBytes;
    }
    return bytes;
  }

  get count(): number {
    return this.waiting;
  }

  /** Of the messages of its jobs. */
  get bytes(): number {
    return this.total;
  }

  /** Behind the ones that are there. */
  beginChunk(seq: number): void {
    this.chunks.push(seq % bucketSize);
  }

  add(seq: number, bytes: number): void {
    this.put(seq % bucketSize, bytes + 1);
  }

  has(seq: number): boolean {
    return this.sizes[seq % bucketSize] !== 0;
  }

  progressOf(seq: number): Progress {
    return this.progress.get(seq % bucketSize) ?? notBegun;
  }

  /** Whether the job is there. */
  change({ seq, deliveries, counted, dueAt }: JobProgress): boolean {
    if (!this.has(seq)) return false;
    this.progress.set(seq % bucketSize, { deliveries, counted, dueAt });
    return true;
  }

  /** Whether the job was there. */
  settle(seq: number): boolean {
    const index = seq % bucketSize;
    const size = this.sizes[index] ?? 0;
    if (size === 0) return false;
    this.sizes[index] = 0;
    this.progress.delete(index);
    this.waiting -= 1;
    this.total -= size - 1;
    return true;
  }

  /** Forgets the jobs behind one, and where their chunks begin: a chunk that begins there is written anew. */
  cutBehind(seq: number): void {
    for (const behind of [...this.seqsAfter(seq)]) this.settle(behind);
    const last = seq - this.number * bucketSize;
    this.chunks = this.chunks.filter((start) => start <= last);
  }

  /** In the order of their numbers. */
  *seqsAfter(after: number): Generator<number> {
    const first = this.number * bucketSize;
    for (let index = Math.max(0, after + 1 - first); index < bucketSize; index += 1)
      if (this.sizes[index] !== 0) yield first + index;
  }

  /** The number of the job with which the chunk of a job begins. */
  chunkOf(seq: number): number {
    const start = this.chunks.findLast((first) => first <= seq % bucketSize) ?? 0;
    return this.number * bucketSize + start;
  }

  allChunks(): readonly number[] {
    return this.chunks.map((start) => this.number * bucketSize + start);
  }

  /** Forgets the chunks of which no job waits any more, and returns them. */
  takeEmptyChunks(): readonly number[] {
    const isEmpty = (start: number, at: number): boolean =>
      this.sizes.subarray(start, this.chunks[at + 1]).every((size) => size === 0);
    const empty = this.chunks.filter(isEmpty);
    if (empty.length > 0) this.chunks = this.chunks.filter((start) => !empty.includes(start));
    return empty.map((start) => this.number * bucketSize + start);
  }

  private put(index: number, size: number): void {
    this.sizes[index] = size;
    this.waiting += 1;
    this.total += size - 1;
  }
}
