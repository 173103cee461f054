import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { JobStore, StoredJob } from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { KnownJob } from '../queue/jobLoading.js';
import type { JobQueue } from '../queue/jobQueue.js';
import type { GroupBacklog } from './groupBacklog.js';
import type { JobPacking } from './jobPacking.js';

export interface JobReadsDeps {
  readonly groupId: string;
  readonly queue: Pick<JobQueue, 'loading' | 'fetched'>;
  readonly packing: JobPacking;
  readonly store: Pick<JobStore, 'page' | 'get'>;
  readonly backlog: Pick<GroupBacklog, 'lastSeq'>;
  /** Resolves when what has changed is in the store. */
  readonly flushed: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const pageBounds = { jobs: 1_000, bytes: 2 * 1024 * 1024 };
const retryMs = 500;

/** Brings jobs of one group from the store into its queue. */
export class JobReads {
  private readonly deps: JobReadsDeps;
  private isLoading = false;
  private wanted: number[] = [];
  private isFetching = false;
  /** The highest number of a job that is known to be in the store. */
  private storedTo = 0;
  private isOver = false;

  constructor(deps: JobReadsDeps) {
    this.deps = deps;
  }

  close(): void {
    this.isOver = true;
  }

  /** Reads further jobs as long as the queue wants some. */
  loadWanted(): void {
    if (this.isLoading || this.deps.queue.loading.wantsBehind === undefined) return;
    this.isLoading = true;
    void this.load();
  }

  /** The messages of jobs that come back. */
  fetch(seq: number): void {
    this.wanted.push(seq);
    if (this.isFetching) return;
    this.isFetching = true;
    void this.fetchAll();
  }

  private async load(): Promise<void> {
    const { loading } = this.deps.queue;
    for (let after = loading.wantsBehind; after !== undefined && !this.isOver; after = loading.wantsBehind) {
      if (!(await this.loadBehind(after))) await pause(retryMs, undefined, { ref: false });
    }
    this.isLoading = false;
  }

  private async loadBehind(after: number): Promise<boolean> {
    const { backlog, store, groupId, flushed } = this.deps;
    const { loading } = this.deps.queue;
    const mayBeStale = loading.wantsAgain;
    loading.begin();
    try {
      if (mayBeStale) await flushed();
      let { lastSeq } = backlog;
      let page = await store.page(groupId, { after, ...pageBounds });
      if (page.length === 0) {
        lastSeq = backlog.lastSeq;
        await flushed();
        page = await store.page(groupId, { after, ...pageBounds });
      }
      if (this.isOver) return true;
      this.storedTo = Math.max(this.storedTo, page.at(-1)?.seq ?? 0);
      loading.load(page.map(this.known), { after, to: page.at(-1)?.seq ?? lastSeq });
      return true;
    } catch (error) {
      loading.abort();
      this.failed(error);
      return false;
    }
  }

  private async fetchAll(): Promise<void> {
    await new Promise(setImmediate);
    const { queue, packing, store, groupId } = this.deps;
    while (this.wanted.length > 0 && !this.isOver) {
      const seqs = this.wanted.splice(0, pageBounds.jobs);
      try {
        await this.haveStored(Math.max(...seqs));
        const found = await store.get(groupId, seqs);
        if (this.isOver) return;
        const messages = new Map(found.map((job) => [job.seq, packing.unpack(job.message)]));
        for (const seq of seqs) queue.fetched(seq, messages.get(seq));
      } catch (error) {
        this.wanted.unshift(...seqs);
        this.failed(error);
        await pause(retryMs, undefined, { ref: false });
      }
    }
    this.isFetching = false;
  }

  /** A message never changes: whoever asks for one waits for no more than that it is there. */
  private async haveStored(seq: number): Promise<void> {
    if (seq <= this.storedTo) return;
    const last = this.deps.backlog.lastSeq;
    await this.deps.flushed();
    this.storedTo = Math.max(this.storedTo, last);
  }

  private failed(error: unknown): void {
    const { groupId, logger } = this.deps;
    logger.warn('Jobs of a worker group cannot be read yet', { groupId, error });
  }

  private readonly known = ({ seq, message, addedAt, deliveries, counted, dueAt }: StoredJob): KnownJob => ({
    // Without a spread: there are many thousands a second.
    seq,
    addedAt,
    deliveries,
    counted,
    message: this.deps.packing.unpack(message),
    bytes: message.length,
    delayMs: dueAt === 0 ? 0 : Math.max(0, dueAt - this.deps.clock.now()),
  });
}
