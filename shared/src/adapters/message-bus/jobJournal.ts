import { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import { EngineUnavailable } from '../../ports/errors.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';

export interface StoredJob {
  readonly queue: string;
  /** Counts the jobs of the queue. */
  readonly sequence: number;
  readonly key: string;
  /** Wall clock, so that it holds across restarts. */
  readonly dueAt: number;
}

type JobId = [queue: string, sequence: number];

interface Write {
  readonly id: JobId;
  /** Undefined removes the job. */
  readonly value: Buffer | undefined;
  readonly written: () => void;
  readonly failed: (error: Error) => void;
}

const ignored = (): void => undefined;

// A job on disk: when it is due, the length of its key, the key, and what its codec made of it.
const headerBytes = 12;

const pack = (job: StoredJob, payload: Uint8Array): Buffer => {
  const key = Buffer.from(job.key);
  const header = Buffer.alloc(headerBytes);
  header.writeDoubleLE(job.dueAt, 0);
  header.writeUInt32LE(key.length, 8);
  return Buffer.concat([header, key, payload]);
};

const payloadStart = (value: Buffer): number => headerBytes + value.readUInt32LE(8);

/** Every job of every queue on disk, in one LMDB file. */
export class JobJournal {
  private readonly environment: DurableEnvironment;
  private readonly jobs: Database<Buffer, JobId>;
  private waiting: Write[] = [];
  private committing: Promise<void> | undefined;
  private hasWritten = true;

  constructor(file: string) {
    this.environment = openDurableEnvironment(file);
    this.jobs = this.environment.root.openDB('jobs', { encoding: 'binary' });
  }

  /** Whether the last write has reached the disk. */
  get isHealthy(): boolean {
    return this.hasWritten;
  }

  /** In order of sequence. */
  stored(queue: string): Iterable<StoredJob> {
    return this.jobs
      .getRange({ start: [queue, 0], end: [queue, Infinity] })
      .map(({ key: [, sequence], value }) => ({
        queue,
        sequence,
        key: value.toString('utf8', headerBytes, payloadStart(value)),
        dueAt: value.readDoubleLE(0),
      }));
  }

  payload(queue: string, sequence: number): Uint8Array | undefined {
    const value = this.jobs.get([queue, sequence]);
    return value?.subarray(payloadStart(value));
  }

  /**
   * Resolves when the job is on disk, in the order of the calls. One commit at a time: what is added meanwhile shares
   * the next one, so that a flush of the disk serves as many as came during the last.
   */
  add(job: StoredJob, payload: Uint8Array): Promise<void> {
    return new Promise((written, failed) => {
      this.write({ id: [job.queue, job.sequence], value: pack(job, payload), written, failed });
    });
  }

  /** Not waited for: a removal that a crash undoes, or that fails, repeats the job in the next process. */
  remove(queue: string, sequence: number): void {
    this.write({ id: [queue, sequence], value: undefined, written: ignored, failed: ignored });
  }

  async close(): Promise<void> {
    await this.committing;
    await this.environment.close();
  }

  private write(write: Write): void {
    this.waiting.push(write);
    this.committing ??= this.commitAll();
  }

  private async commitAll(): Promise<void> {
    // Gathers what the other callers of this turn add.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const writes = this.waiting;
      this.waiting = [];
      await this.commit(writes);
    }
    this.committing = undefined;
  }

  private async commit(writes: readonly Write[]): Promise<void> {
    try {
      await this.environment.transact(() => {
        for (const { id, value } of writes) void (value ? this.jobs.put(id, value) : this.jobs.remove(id));
      });
      this.hasWritten = true;
      for (const { written } of writes) written();
    } catch (cause) {
      this.hasWritten = false;
      const unavailable = new EngineUnavailable('message bus', { cause });
      for (const { failed } of writes) failed(unavailable);
    }
  }
}
