import type { Job } from './job.js';

export type DeathCause = 'max_deliveries' | 'group_full';

/** What the queue has others do. None of them may call it back at once. */
export interface JobOutputs {
  /** It is kept no longer. */
  settled(job: Job): void;
  /** How often it was handed out has changed, or when it may be; `delayMs` from now. */
  changed(job: Job, delayMs: number): void;
  /** It is to become a dead letter; `buried` must follow. */
  dying(job: Job, cause: DeathCause): void;
  /** `fetched` must follow. */
  fetch(job: Job): void;
  /** A member acknowledges a job that is not in memory: it is kept no longer, if it is in the store. `sought` must follow. */
  settleUnseen(seq: number): void;
}
