import type { JobGroupRecord } from '@roomwire/shared/ports/jobStore';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { DeathCause } from '../queue/jobOutputs.js';

export interface DeadJob {
  readonly message: LiveMessage;
  readonly seq: number;
  /** Deliveries that count. */
  readonly counted: number;
  readonly cause: DeathCause;
}

/** Makes dead letters of jobs. */
export interface Burial {
  /** Resolves when the dead letter is safe; with false where the process ends before. Twice for one number is one dead letter. */
  bury(group: JobGroupRecord, job: DeadJob): Promise<boolean>;
  /** Whatever is not safe yet stays a job. */
  close(): void;
}
