import type { WorkQueue } from '../../wire/bus/channel.js';
import { FifoQueue } from './fifoQueue.js';

/** Which of the due jobs may start next. */
export interface JobLanes<Job> {
  add(key: string, job: Job): void;
  /** The lane whose first job starts next; it is not returned again before `done` or `again`. */
  next(): Lane<Job> | undefined;
  /** The first job of the lane is complete. */
  done(lane: Lane<Job>): void;
  /** The first job of the lane is to be retried. */
  again(lane: Lane<Job>): void;
}

/** The due jobs of one key, in order. */
export interface Lane<Job> {
  readonly key: string;
  readonly jobs: FifoQueue<Job>;
  /** How often in a row its first job has failed. */
  failures: number;
}

/**
 * One job of a key at a time, keys in turn: a key with a thousand jobs waiting, or with one that fails, holds up no other.
 * Takes about 400 bytes per key with jobs, in addition to the jobs.
 */
export class KeyLanes<Job> implements JobLanes<Job> {
  private readonly lanes = new Map<string, Lane<Job>>();
  /** Those whose first job may start. */
  private readonly ready = new FifoQueue<Lane<Job>>();

  add(key: string, job: Job): void {
    const lane = this.lanes.get(key);
    if (lane) {
      lane.jobs.push(job);
      return;
    }
    const created: Lane<Job> = { key, jobs: new FifoQueue(), failures: 0 };
    created.jobs.push(job);
    this.lanes.set(key, created);
    this.ready.push(created);
  }

  next(): Lane<Job> | undefined {
    return this.ready.shift();
  }

  done(lane: Lane<Job>): void {
    lane.jobs.shift();
    lane.failures = 0;
    if (lane.jobs.isEmpty) this.lanes.delete(lane.key);
    else this.ready.push(lane);
  }

  again(lane: Lane<Job>): void {
    this.ready.push(lane);
  }
}

/** For a queue whose handler keeps the order itself: each job has its own lane, created when the job starts. */
export class OverlappingLanes<Job> implements JobLanes<Job> {
  private readonly due = new FifoQueue<{ readonly key: string; readonly job: Job }>();
  private readonly failed = new FifoQueue<Lane<Job>>();

  add(key: string, job: Job): void {
    this.due.push({ key, job });
  }

  /** Failed jobs come first, since they are older. */
  next(): Lane<Job> | undefined {
    const failed = this.failed.shift();
    if (failed) return failed;
    const due = this.due.shift();
    if (!due) return undefined;
    const lane: Lane<Job> = { key: due.key, jobs: new FifoQueue(), failures: 0 };
    lane.jobs.push(due.job);
    return lane;
  }

  done(lane: Lane<Job>): void {
    lane.jobs.shift();
  }

  again(lane: Lane<Job>): void {
    this.failed.push(lane);
  }
}

export const lanesOf = <Job>({ overlaps = false }: Pick<WorkQueue<never>, 'overlaps'>): JobLanes<Job> =>
  overlaps ? new OverlappingLanes() : new KeyLanes();
