import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import { retried } from '@roomwire/shared/runtime/waiting';
import type { JobCounts } from '../queue/jobCounts.js';
import type { JobQueue } from '../queue/jobQueue.js';
import type { GroupBacklog } from './groupBacklog.js';

export interface UnseenJobsDeps {
  readonly groupId: string;
  readonly store: Pick<JobStore, 'get'>;
  /** Resolves when what has changed is in the store. */
  readonly flushed: () => Promise<void>;
  /** What has changed before is in the store; monotonic milliseconds. */
  readonly storedUntil: () => number;
  readonly logger: Logger;
  readonly queue: Pick<JobQueue, 'sought'>;
  readonly backlog: Pick<GroupBacklog, 'forget'>;
  readonly counts: JobCounts;
}

const mostAtOnce = 1_000;
const betweenTries = { firstMs: 100, longestMs: 5_000 };

/** Jobs of one group that are acknowledged by somebody who had them before, while they are in the store alone. */
export class UnseenJobs {
  private readonly deps: UnseenJobsDeps;
  private readonly wanted: number[] = [];
  private running: Promise<void> | undefined;
  /** As of when the first of them was acknowledged. */
  private storedBefore: number | undefined;
  private readonly closing = new AbortController();

  constructor(deps: UnseenJobsDeps) {
    this.deps = deps;
  }

  /** What was acknowledged before is in the store as done, seen or not. */
  get storedUntil(): number {
    return this.storedBefore ?? this.deps.storedUntil();
  }

  /** Passed over where it is not there any more. Nobody gets it meanwhile. */
  settle(seq: number): void {
    this.wanted.push(seq);
    this.running ??= this.settleAll();
  }

  /** Tries no more from now on. Resolves when what was begun is done, or has failed. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async settleAll(): Promise<void> {
    this.storedBefore = this.deps.storedUntil();
    // So that what a member repeats is read at once.
    await new Promise(setImmediate);
    while (this.wanted.length > 0) {
      const seqs = this.wanted.splice(0, mostAtOnce);
      if (!(await this.isDone(() => this.forget(seqs)))) return;
      // Until then a page of the store may have them.
      if (!(await this.isDone(this.deps.flushed))) return;
      this.deps.queue.sought(seqs);
    }
    this.storedBefore = undefined;
    this.running = undefined;
  }

  private async forget(seqs: readonly number[]): Promise<void> {
    const { groupId, store, flushed, backlog, counts } = this.deps;
    await flushed();
    for (const { seq, message } of await store.get(groupId, seqs)) {
      counts.acknowledged++;
      backlog.forget(seq, message.length);
    }
  }

  /** Tries on. False where it has failed when this is closed. */
  private isDone(action: () => Promise<void>): Promise<boolean> {
    const { groupId, logger } = this.deps;
    const done = retried(action, {
      ...{ signal: this.closing.signal, betweenTries },
      failed: (error, failures) => {
        if (failures === 1)
          logger.warn('Acknowledged jobs of a worker group cannot be settled yet', { groupId, error });
      },
    });
    return done.then(
      () => true,
      () => false,
    );
  }
}
