import { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import { EngineUnavailable } from '../../ports/errors.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { QueueWorker, WorkOptions } from '../../ports/messageBus.js';
import type { WorkQueue } from '../../wire/bus/channel.js';
import { DueTimes, JobWorkers } from './jobWorkers.js';

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
  readonly job: NewJob | undefined;
  readonly written: () => void;
  readonly failed: (error: Error) => void;
}

const ignored = (): void => undefined;

// A job on disk: due time, length of the key, key, encoded payload.
const headerBytes = 12;

interface NewJob extends StoredJob {
  readonly payload: Uint8Array;
}

const usualMemory = 64 * 1024;
const mostKeptMemory = 1024 * 1024;

/** Makes what is written of jobs, in memory that each commit uses again: large jobs would else be copied to new memory once more. */
class JobPacker {
  private memory = Buffer.alloc(usualMemory);
  private used = 0;

  /** Holds until the next `reset`. */
  pack({ key, dueAt, payload }: NewJob): Buffer {
    const keyBytes = Buffer.byteLength(key);
    const job = this.take(headerBytes + keyBytes + payload.length);
    job.writeDoubleLE(dueAt, 0);
    job.writeUInt32LE(keyBytes, 8);
    job.write(key, headerBytes);
    job.set(payload, headerBytes + keyBytes);
    return job;
  }

  /** What was packed is not needed any more. */
  reset(): void {
    this.used = 0;
    if (this.memory.length > mostKeptMemory) this.memory = Buffer.alloc(usualMemory);
  }

  /** Jobs that were packed before keep the memory that was too small for this one. */
  private take(bytes: number): Buffer {
    if (bytes > this.memory.length - this.used) {
      this.memory = Buffer.alloc(Math.max(bytes, Math.min(2 * this.memory.length, mostKeptMemory)));
      this.used = 0;
    }
    this.used += bytes;
    return this.memory.subarray(this.used - bytes, this.used);
  }
}

const payloadStart = (value: Buffer): number => headerBytes + value.readUInt32LE(8);

/** Every job of every queue on disk, in one LMDB file. */
export class JobJournal {
  private readonly environment: DurableEnvironment;
  private readonly jobs: Database<Buffer, JobId>;
  private readonly packer = new JobPacker();
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
   * Resolves when the job is on disk, in the order of the calls. One commit at a time: jobs added meanwhile share
   * the next one, so that a flush of the disk serves as many as came during the last.
   */
  add(job: StoredJob, payload: Uint8Array): Promise<void> {
    return new Promise((written, failed) => {
      this.write({ id: [job.queue, job.sequence], job: { ...job, payload }, written, failed });
    });
  }

  /** Not waited for: a removal that a crash undoes, or that fails, repeats the job in the next process. */
  remove(queue: string, sequence: number): void {
    this.write({ id: [queue, sequence], job: undefined, written: ignored, failed: ignored });
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
    // Collects the jobs that other callers add in this turn of the event loop.
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
      await this.environment.write(() => {
        for (const { id, job } of writes)
          void (job ? this.jobs.put(id, this.packer.pack(job)) : this.jobs.remove(id));
      });
      this.hasWritten = true;
      for (const { written } of writes) written();
    } catch (cause) {
      this.hasWritten = false;
      const unavailable = new EngineUnavailable('message bus', { cause });
      for (const { failed } of writes) failed(unavailable);
    } finally {
      this.packer.reset();
    }
  }
}

/** The payload of a waiting job stays on disk, so that a job takes about 8 bytes of memory, whatever its size. */
interface QueuedJob {
  readonly key: string;
  readonly sequence: number;
}

/** One work queue, whose jobs are in the journal. */
export class DurableQueue<T> {
  private readonly queue: WorkQueue<T>;
  private readonly journal: JobJournal;
  private readonly clock: Clock;
  private readonly workers: JobWorkers<number>;
  private readonly dueTimes: DueTimes<QueuedJob>;
  private lastSequence = 0;
  private jobs = 0;

  constructor(queue: WorkQueue<T>, journal: JobJournal, clock: Clock, logger: Logger | undefined) {
    this.queue = queue;
    this.journal = journal;
    this.clock = clock;
    const source = {
      payload: (sequence: number) => journal.payload(queue.name, sequence),
      done: (sequence: number) => {
        journal.remove(queue.name, sequence);
        this.jobs -= 1;
      },
    };
    this.workers = new JobWorkers(queue, source, logger);
    this.dueTimes = new DueTimes(queue.delayMs, clock, (due) => {
      for (const { key, sequence } of due) this.workers.add(key, sequence);
      this.workers.advance();
    });
    this.restore();
  }

  /** Jobs that were put and are not done, due or not. */
  get unfinished(): number {
    return this.jobs;
  }

  async put(job: T): Promise<void> {
    const { name, delayMs, codec } = this.queue;
    const key = this.queue.key(job);
    const sequence = ++this.lastSequence;
    const now = this.clock.now();
    const due = this.dueTimes.dueTime(now);
    await this.journal.add({ queue: name, sequence, key, dueAt: now + delayMs }, codec.encode(job));
    this.jobs += 1;
    this.dueTimes.add({ key, sequence }, due);
    this.dueTimes.release();
  }

  work(options: WorkOptions, handler: (job: T) => Promise<void>): QueueWorker {
    this.dueTimes.release();
    return this.workers.work(options, async (payload) => handler(this.queue.codec.decode(payload)));
  }

  async close(): Promise<void> {
    this.dueTimes.close();
    await this.workers.close();
  }

  /** The jobs that an earlier process left. */
  private restore(): void {
    const { name, delayMs } = this.queue;
    for (const { key, sequence, dueAt } of this.journal.stored(name)) {
      this.dueTimes.add({ key, sequence }, this.dueTimes.dueTime(dueAt - delayMs));
      this.lastSequence = sequence;
      this.jobs += 1;
    }
  }
}
