import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import type { Logger } from '../../ports/logger.js';
import { PendingChanges, type Snapshot, type UsageKey } from './snapshot.js';

type WrittenSnapshot = Pick<Snapshot, 'write' | 'close'>;

/** While changes keep coming, a change waits at most this many times the usual delay. */
const patience = 3;

/**
 * Decides when a snapshot is written: some time after the last change, at the latest a few times that after the first one,
 * one at a time, and at close. So catching up with a long log does not write each document again and again.
 */
export class SnapshotWriter {
  private readonly snapshot: WrittenSnapshot;
  private readonly quietMs: number;
  private readonly logger: Logger | undefined;
  private pending = new PendingChanges();
  private timer: NodeJS.Timeout | undefined;
  private oldestChangeAt: number | undefined;
  private writing: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(snapshot: WrittenSnapshot, quietMs: number, logger: Logger | undefined) {
    this.snapshot = snapshot;
    this.quietMs = quietMs;
    this.logger = logger;
  }

  record(view: string, id: string, document: unknown): void {
    this.pending.record(view, id, document);
  }

  /** Belongs to no batch. */
  recordUse(id: string, at: string | undefined): void {
    this.pending.recordUse(id, at);
    this.schedule();
  }

  /** Belongs to no batch. */
  recordUsage(key: UsageKey, messages: number | undefined): void {
    this.pending.recordUsage(key, messages);
    this.schedule();
  }

  /** The changes recorded so far are whole batches, so that they may be written. */
  moveTo(checkpoint: LogPosition, origin?: LogOrigin): void {
    this.pending.moveTo(checkpoint, origin);
    this.schedule();
  }

  /** What was recorded belongs to no batch. */
  besides(): void {
    this.pending.besides();
    this.schedule();
  }

  clear(isFilling: boolean): void {
    this.pending.clear(isFilling);
    this.schedule();
  }

  filled(): void {
    this.pending.filled();
    this.schedule();
  }

  /** Writes everything recorded before; rejects where that fails, and it is retried later. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.oldestChangeAt = undefined;
    this.writing = this.writing.catch(() => undefined).then(() => this.write());
    return this.writing;
  }

  /** Writes everything recorded before, and retries later where that fails. */
  async settle(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.logger?.error('The read models could not be written to disk', { error });
      this.schedule();
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    try {
      await this.flush();
    } finally {
      await this.snapshot.close();
    }
  }

  private schedule(): void {
    if (this.isClosed) return;
    const now = performance.now();
    this.oldestChangeAt ??= now;
    const mayWait = now - this.oldestChangeAt < (patience - 1) * this.quietMs;
    if (this.timer === undefined) this.timer = setTimeout(() => void this.settle(), this.quietMs);
    else if (mayWait) this.timer.refresh();
  }

  private async write(): Promise<void> {
    if (this.pending.isEmpty) return;
    const changes = this.pending;
    this.pending = new PendingChanges();
    try {
      await this.snapshot.write(changes);
    } catch (error) {
      this.pending = changes.followedBy(this.pending);
      throw error;
    }
  }
}
