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

/**
 * For a queue whose handler keeps the order itself: any number of jobs of a key at once, keys in turn, so that a key with a
 * thousand due jobs holds up no other. A job gets a lane of its own when it starts.
 */
class OverlappingLanes<Job> implements JobLanes<Job> {
  private readonly due = new Map<string, FifoQueue<Job>>();
  /** Each key with due jobs once. */
  private readonly keys = new FifoQueue<string>();
  private readonly failed = new FifoQueue<Lane<Job>>();

  add(key: string, job: Job): void {
    let jobs = this.due.get(key);
    if (jobs === undefined) {
      this.due.set(key, (jobs = new FifoQueue()));
      this.keys.push(key);
    }
    jobs.push(job);
  }

  /** Failed jobs come first, since they are older. */
  next(): Lane<Job> | undefined {
    return this.failed.shift() ?? this.nextDue();
  }

  done(lane: Lane<Job>): void {
    lane.jobs.shift();
  }

  again(lane: Lane<Job>): void {
    this.failed.push(lane);
  }

  private nextDue(): Lane<Job> | undefined {
    const key = this.keys.shift();
    if (key === undefined) return undefined;
    const jobs = this.due.get(key) as FifoQueue<Job>;
    const lane: Lane<Job> = { key, jobs: new FifoQueue(), failures: 0 };
    lane.jobs.push(jobs.shift() as Job);
    if (jobs.isEmpty) this.due.delete(key);
    else this.keys.push(key);
    return lane;
  }
}

export const lanesOf = <Job>({ overlaps = false }: Pick<WorkQueue<never>, 'overlaps'>): JobLanes<Job> =>
  overlaps ? new OverlappingLanes() : new KeyLanes();
