import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { JobCounts } from '../queue/jobCounts.js';
import type { JobQueue } from '../queue/jobQueue.js';
import type { GroupBacklog } from './groupBacklog.js';

export interface UnseenJobsDeps {
  readonly groupId: string;
  readonly store: Pick<JobStore, 'get'>;
  /** Resolves when what has changed is in the store. */
  readonly flushed: () => Promise<void>;
  readonly logger: Logger;
  readonly queue: Pick<JobQueue, 'withdraw'>;
  readonly backlog: Pick<GroupBacklog, 'forget'>;
  readonly counts: JobCounts;
}

/** Jobs of one group that are acknowledged by somebody who had them before, while they are in the store alone. */
export class UnseenJobs {
  private readonly deps: UnseenJobsDeps;
  /** Their numbers, while they are looked for. */
  private readonly sought = new Set<number>();

  constructor(deps: UnseenJobsDeps) {
    this.deps = deps;
  }

  /** Passed over where it is not there any more. */
  async settle(seq: number): Promise<void> {
    if (this.sought.has(seq)) return;
    this.sought.add(seq);
    const { groupId, store, flushed, logger, queue, backlog, counts } = this.deps;
    try {
      await flushed();
      const [job] = await store.get(groupId, [seq]);
      if (job === undefined || !queue.withdraw(seq)) return;
      counts.acknowledged++;
      backlog.forget(seq, job.message.length);
    } catch (error) {
      // It is handed out once more.
      logger.debug('A job could not be settled', { groupId, error });
    } finally {
      this.sought.delete(seq);
    }
  }
}
