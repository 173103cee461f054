import type { WorkQueue } from '../../wire/bus/channel.js';
import { Fifo } from './fifo.js';
import { KeyLanes, type JobLanes, type Lane } from './keyLanes.js';

/** The due jobs of a queue whose handler sees to the order: each in a lane of its own, made when the job is begun. */
export class OverlappingLanes implements JobLanes {
  readonly #due = new Fifo<{ readonly key: string; readonly sequence: number }>();
  readonly #again = new Fifo<Lane>();

  add(key: string, sequence: number): void {
    this.#due.push({ key, sequence });
  }

  /** Those that failed come first: they are the older ones. */
  next(): Lane | undefined {
    const failed = this.#again.shift();
    if (failed) return failed;
    const due = this.#due.shift();
    if (!due) return undefined;
    const lane: Lane = { key: due.key, jobs: new Fifo(), failures: 0 };
    lane.jobs.push(due.sequence);
    return lane;
  }

  done(lane: Lane): void {
    lane.jobs.shift();
  }

  again(lane: Lane): void {
    this.#again.push(lane);
  }
}

export const lanesOf = ({ overlaps = false }: Pick<WorkQueue<never>, 'overlaps'>): JobLanes =>
  overlaps ? new OverlappingLanes() : new KeyLanes();
