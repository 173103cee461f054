import type { HandOuts } from './handOuts.js';
import type { Job } from './job.js';
import type { JobMemory } from './jobMemory.js';
import type { JobOutputs } from './jobOutputs.js';
import type { WaitingJobs } from './waitingJobs.js';

/** A job that a member has given back to an earlier owner of the group, who may not have stored that, or while there was none. */
export interface ReturnedJob {
  readonly seq: number;
  /** Which delivery it was. */
  readonly delivery: number;
  /** From now until it is to be delivered again; 0 for at once. */
  readonly delayMs: number;
}

export interface EarlierReturnsDeps {
  readonly memory: JobMemory;
  readonly handOuts: Pick<HandOuts, 'remove'>;
  readonly waiting: Pick<WaitingJobs, 'loaded'>;
  readonly outputs: Pick<JobOutputs, 'changed'>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Makes up for what an earlier owner did not store of jobs that were given back. */
export class EarlierReturns {
  private readonly deps: EarlierReturnsDeps;
  /** Of jobs that are not in memory yet: the delivery, and when the next one is due. */
  private readonly noted = new Map<
    number,
    { readonly delivery: number | undefined; readonly dueAt: number }
  >();

  constructor(deps: EarlierReturnsDeps) {
    this.deps = deps;
  }

  /** The last delivery where it is not said which. Passed over where somebody has the job, or it is delayed already. */
  take(seq: number, delayMs: number, delivery?: number): void {
    const { memory, handOuts, waiting, now } = this.deps;
    const job = memory.get(seq);
    if (job?.state === 'ready') {
      handOuts.remove(job);
      waiting.loaded(job, this.failed(job, delayMs, delivery));
    } else if (job === undefined && seq <= memory.lastSeq) {
      this.noted.set(seq, { delivery, dueAt: now() + delayMs });
      memory.readAgainFrom(seq);
    }
  }

  /** A job that nobody has comes from the store. */
  loaded(job: Job, delayMs: number): void {
    const { waiting, now } = this.deps;
    const found = delayMs > 0 ? undefined : this.noted.get(job.seq);
    const leftMs = found && this.failed(job, Math.max(0, found.dueAt - now()), found.delivery);
    waiting.loaded(job, leftMs ?? delayMs);
  }

  /** What has not come is settled, or somebody has it. */
  forgetRead(): void {
    for (const seq of this.noted.keys()) if (this.deps.memory.hasRead(seq)) this.noted.delete(seq);
  }

  /** How long the job must wait. Nothing has been lost where it has been delivered since, or as many failures count as there were deliveries. */
  private failed(job: Job, delayMs: number, delivery = Math.max(job.deliveries, job.counted + 1)): number {
    if (job.deliveries > delivery || job.counted >= delivery) return 0;
    job.deliveries = delivery;
    job.counted++;
    this.deps.outputs.changed(job, delayMs);
    return delayMs;
  }
}
