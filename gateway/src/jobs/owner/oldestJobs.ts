import type { JobStore, StoredJob } from '@roomwire/shared/ports/jobStore';

export interface OldestJobsDeps {
  readonly groupId: string;
  readonly store: Pick<JobStore, 'page'>;
  /** Resolves when what has changed is in the store. */
  readonly flushed: () => Promise<void>;
}

const pageBounds = { jobs: 100, bytes: 1024 * 1024 };

/** The jobs of one group, from the oldest on. Rejects where the store is out of reach. */
export class OldestJobs {
  private readonly deps: OldestJobsDeps;
  private isOver = false;

  constructor(deps: OldestJobsDeps) {
    this.deps = deps;
  }

  close(): void {
    this.isOver = true;
  }

  async take(jobs: number, after = 0): Promise<readonly StoredJob[]> {
    const { groupId, store, flushed } = this.deps;
    await flushed();
    return store.page(groupId, { ...pageBounds, after, jobs });
  }

  /** Until `visit` says that it was enough. */
  async each(visit: (job: StoredJob) => boolean | Promise<boolean>): Promise<void> {
    for (let after = 0; !this.isOver;) {
      const page = await this.take(pageBounds.jobs, after);
      for (const job of page) if (!(await visit(job))) return;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.seq;
    }
  }
}
