import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { Reopenable } from '../reopenable.js';

export interface JobsUnderTest extends Reopenable<JobStore> {
  /** The store as another process has it; where one process has it all, another view of the same. */
  beside(): Promise<JobStore>;
}
