import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import {
  StaleTerm,
  type JobChanges,
  type JobStore,
  type ReadingPositions,
} from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import { backOffMs, sleep } from '@roomwire/shared/runtime/waiting';

export interface ChangingGroup {
  readonly groupId: string;
  /** What is to be committed; undefined for nothing. */
  takeChanges(): JobChanges | undefined;
}

export interface ShardCommitsDeps {
  readonly store: Pick<JobStore, 'commit'>;
  readonly shard: number;
  readonly term: number;
  readonly logger: Logger;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Another process owns the shard. */
  readonly superseded: () => void;
}

interface Changes {
  readonly takenAt: number;
  readonly changes: readonly JobChanges[];
  readonly positions: ReadingPositions;
}

interface Batch {
  readonly committed: Promise<void>;
  readonly settle: { done(): void; failed(error: unknown): void };
}

/** What was acknowledged, and how often something was handed out, may wait so long. */
const laterMs = 250;
const betweenTries = { firstMs: 100, longestMs: 5_000 };

/** Writes what has changed in the groups of a shard, one batch at a time: what comes meanwhile is the next one. */
export class ShardCommits {
  private readonly deps: ShardCommitsDeps;
  private changing = new Set<ChangingGroup>();
  private positions = new Map<number, number>();
  private running: Promise<void> | undefined;
  /** Of what is not in the hands of the store yet. */
  private next: Batch | undefined;
  private current: Batch | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly closing = new AbortController();
  private storedTo: number;

  constructor(deps: ShardCommitsDeps) {
    this.deps = deps;
    this.storedTo = deps.now();
  }

  /** What has changed before is durable; monotonic milliseconds. */
  get storedUntil(): number {
    return this.storedTo;
  }

  /** The group has changed: soon, or within a moment. */
  changed(group: ChangingGroup, isSoon: boolean): void {
    this.changing.add(group);
    if (isSoon) this.start();
    else this.timer ??= setTimeout(() => this.start(), laterMs).unref();
  }

  /** How far a partition has been read; written with what changes next. */
  passed(partition: number, offset: number): void {
    this.positions.set(partition, offset);
    this.timer ??= setTimeout(() => this.start(), laterMs).unref();
  }

  /** Resolves when everything that has changed is durable. Rejects where the store is out of reach; it is tried on. */
  flushed(): Promise<void> {
    if (this.changing.size === 0) return this.current?.committed ?? Promise.resolve();
    this.next ??= newBatch();
    this.start();
    return this.next.committed;
  }

  /** Commits what there is, where the store can be reached. */
  async close(): Promise<void> {
    await this.flushed().catch(() => undefined);
    this.abandon();
    await this.running;
  }

  /** Nothing more is written. */
  abandon(): void {
    clearTimeout(this.timer);
    this.closing.abort();
    this.changing.clear();
  }

  private start(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    // So that a burst is one batch.
    await new Promise(setImmediate);
    while (this.changing.size + this.positions.size > 0 && !this.closing.signal.aborted) {
      const groups = this.changing;
      this.changing = new Set();
      this.current = this.next ?? newBatch();
      this.next = undefined;
      const takenAt = this.deps.now();
      const changes = [...groups].flatMap((group) => group.takeChanges() ?? []);
      const { positions } = this;
      this.positions = new Map();
      await this.commit({ takenAt, changes, positions }, this.current);
      this.current = undefined;
    }
    if (this.closing.signal.aborted) this.next?.settle.failed(new EngineUnavailable('jobs'));
    else this.next?.settle.done();
    this.next = undefined;
    // At once: what changes from now on needs another run.
    this.running = undefined;
  }

  private async commit({ takenAt, changes, positions }: Changes, batch: Batch): Promise<void> {
    const { store, shard, term, logger, superseded } = this.deps;
    for (let failures = 1; !this.closing.signal.aborted; failures++) {
      try {
        if (changes.length + positions.size > 0) await store.commit(shard, term, changes, positions);
        this.storedTo = takenAt;
        return batch.settle.done();
      } catch (error) {
        batch.settle.failed(error);
        // What has changed meanwhile cannot be stored either.
        this.next?.settle.failed(error);
        this.next = undefined;
        if (error instanceof StaleTerm) {
          this.abandon();
          return superseded();
        }
        if (failures === 1) logger.warn('Jobs of worker groups cannot be stored yet', { shard, error });
        await sleep(backOffMs(betweenTries, failures), this.closing.signal);
      }
    }
  }
}

const newBatch = (): Batch => {
  let settle: Batch['settle'] = { done: () => undefined, failed: () => undefined };
  const committed = new Promise<void>((done, failed) => (settle = { done, failed }));
  // Not everything that is committed is waited for.
  committed.catch(() => undefined);
  return { committed, settle };
};
