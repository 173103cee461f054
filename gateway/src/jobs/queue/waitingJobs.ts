import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { HandOuts } from './handOuts.js';
import type { Job } from './job.js';
import { JobHeap } from './jobHeap.js';
import type { JobMemory } from './jobMemory.js';
import type { DeathCause, JobOutputs } from './jobOutputs.js';
import type { JobWindow } from './jobWindow.js';

export interface WaitingJobsDeps {
  readonly memory: JobMemory;
  readonly handOuts: HandOuts;
  readonly window: JobWindow;
  readonly outputs: Pick<JobOutputs, 'changed' | 'dying' | 'fetch'>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** What becomes of a job that no member has: it is ready, as soon as its message is here, or after a delay, or it dies. */
export class WaitingJobs {
  private readonly deps: WaitingJobsDeps;
  private readonly delayed = new JobHeap(({ dueAt }) => dueAt);
  private fetching = 0;

  constructor(deps: WaitingJobsDeps) {
    this.deps = deps;
  }

  /** Whether further jobs are better left in the store. */
  get isFull(): boolean {
    const { handOuts, memory, window } = this.deps;
    return handOuts.ready + this.fetching >= window.jobs || memory.bytes >= window.bytes;
  }

  /** Its message is here. */
  makeReady(job: Job): void {
    const { handOuts, memory } = this.deps;
    if (!handOuts.offer(job)) memory.leaveInStore(job);
  }

  /** It has come from the store, with its message. */
  loaded(job: Job, delayMs: number): void {
    if (this.hasFailedForGood(job)) this.die(job, 'max_deliveries');
    else if (delayMs > 0) this.delay(job, delayMs);
    else this.makeReady(job);
  }

  /** Its member did not do it in time, or cannot. */
  failed(job: Job, delayMs: number): void {
    const { handOuts, outputs } = this.deps;
    handOuts.takeBack(job);
    job.counted++;
    outputs.changed(job, delayMs);
    if (this.hasFailedForGood(job)) this.die(job, 'max_deliveries');
    else if (delayMs > 0) this.delay(job, delayMs);
    else this.handBack(job);
  }

  /** It is ready again, as soon as its message is here. */
  handBack(job: Job): void {
    const { memory, outputs } = this.deps;
    if (this.isFull) {
      memory.leaveInStore(job);
      memory.readAgainFrom(job.seq);
      return;
    }
    job.state = 'fetching';
    this.fetching++;
    outputs.fetch(job);
  }

  /** The message of a job that was asked for; undefined where it is not there any more. */
  fetched(job: Job | undefined, message: LiveMessage | undefined): void {
    const { memory } = this.deps;
    this.fetching--;
    if (job?.state !== 'fetching') return;
    if (message === undefined) return memory.forget(job);
    memory.remember(job, message);
    this.makeReady(job);
  }

  /** Hands back what was delayed until now. */
  tick(): void {
    const now = this.deps.now();
    for (let { first } = this.delayed; first && first.dueAt <= now; first = this.delayed.first) {
      this.delayed.shift();
      if (first.state === 'delayed') this.handBack(first);
    }
  }

  private hasFailedForGood({ counted }: Job): boolean {
    return counted >= this.deps.handOuts.options.maxDeliveries;
  }

  private die(job: Job, cause: DeathCause): void {
    job.state = 'dying';
    this.deps.outputs.dying(job, cause);
  }

  private delay(job: Job, delayMs: number): void {
    job.state = 'delayed';
    job.dueAt = this.deps.now() + delayMs;
    this.deps.memory.forgetMessage(job);
    this.delayed.push(job);
  }
}
