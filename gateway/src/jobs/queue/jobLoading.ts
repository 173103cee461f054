import type { EarlierReturns } from './earlierReturns.js';
import type { HandOuts } from './handOuts.js';
import type { JobFields } from './job.js';
import type { JobMemory } from './jobMemory.js';
import type { JobWindow } from './jobWindow.js';

export interface JobLoadingDeps {
  readonly memory: JobMemory;
  readonly handOuts: HandOuts;
  readonly window: JobWindow;
  readonly returns: Pick<EarlierReturns, 'loaded' | 'forgetRead'>;
}

/** What is stored of a job when it comes into memory. */
export interface KnownJob extends JobFields {
  /** 0 for at once. */
  readonly delayMs: number;
}

/** Brings the jobs that are in the store alone into memory, in their order, as far as they are next. */
export class JobLoading {
  private readonly deps: JobLoadingDeps;

  constructor(deps: JobLoadingDeps) {
    this.deps = deps;
  }

  /** Jobs behind this number should be loaded; undefined while there are enough, or all of them are here. */
  get wantsBehind(): number | undefined {
    const { memory, handOuts, window } = this.deps;
    const isLow = handOuts.ready < window.lowJobs && memory.bytes < window.bytes;
    return isLow && handOuts.members.size > 0 ? memory.unreadBehind : undefined;
  }

  /** Whether what is wanted has been in memory before: what is stored of it must be up to date. */
  get wantsAgain(): boolean {
    return this.deps.memory.readsAgain;
  }

  /** Jobs behind a number are being read; `load` or `abort` must follow. */
  begin(): void {
    this.deps.memory.beginReading();
  }

  abort(): void {
    this.deps.memory.endReading();
  }

  /** Jobs behind the number `after`, in their order; up to `to` there are no others. */
  load(known: readonly KnownJob[], read: { readonly after: number; readonly to: number }): void {
    const { memory, handOuts, returns } = this.deps;
    const touched = memory.endReading();
    for (const fields of known) {
      const { seq, delayMs } = fields;
      if (memory.get(seq) || touched?.has(seq) || memory.isSought(seq)) continue;
      const job = memory.keep(fields);
      const holder = handOuts.holderOf(seq);
      if (holder) handOuts.keepAt(holder, job);
      else returns.loaded(job, delayMs);
    }
    memory.hasReadOn(read);
    // What has not come is settled.
    for (const seq of handOuts.reservedSeqs) if (memory.hasRead(seq)) handOuts.release(seq);
    returns.forgetRead();
  }
}
