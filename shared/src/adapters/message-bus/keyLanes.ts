import { Fifo } from './fifo.js';

/** Which of the due jobs may be begun next. */
export interface JobLanes {
  add(key: string, sequence: number): void;
  /** The lane whose first job is to be done now; it does not come again before `done` or `again`. */
  next(): Lane | undefined;
  /** The first job of the lane is complete. */
  done(lane: Lane): void;
  /** The first job of the lane is to be done again. */
  again(lane: Lane): void;
}

/** The due jobs of one key, by sequence number, in order. */
export interface Lane {
  readonly key: string;
  readonly jobs: Fifo<number>;
  /** How often in a row its first job has failed. */
  failures: number;
}

/**
 * The due jobs of a queue by key: one job of a key at a time, keys in turn. A key with a thousand jobs waiting, or with
 * one that fails, holds up no other.
 *
 * It knows numbers and keys only: some 8 bytes a job and 400 bytes a key that has any, whatever the jobs weigh.
 */
export class KeyLanes implements JobLanes {
  readonly #lanes = new Map<string, Lane>();
  /** Those whose first job may start. */
  readonly #ready = new Fifo<Lane>();

  add(key: string, sequence: number): void {
    const lane = this.#lanes.get(key);
    if (lane) {
      lane.jobs.push(sequence);
      return;
    }
    const created: Lane = { key, jobs: new Fifo(), failures: 0 };
    created.jobs.push(sequence);
    this.#lanes.set(key, created);
    this.#ready.push(created);
  }

  next(): Lane | undefined {
    return this.#ready.shift();
  }

  done(lane: Lane): void {
    lane.jobs.shift();
    lane.failures = 0;
    if (lane.jobs.isEmpty) this.#lanes.delete(lane.key);
    else this.#ready.push(lane);
  }

  again(lane: Lane): void {
    this.#ready.push(lane);
  }
}
