import { retried } from '@roomwire/shared/runtime/waiting';

export interface LatestWriteOptions {
  /** Nothing is written before it resolves. */
  readonly after: Promise<void>;
  /** The longest pause between two attempts. */
  readonly retryMs: number;
  readonly failed: (error: unknown, failure: Failure) => void;
}

export interface Failure {
  /** In a row; from 1. */
  readonly attempt: number;
  /** It, or a newer one in its place. */
  readonly isTriedAgain: boolean;
}

interface Write {
  readonly perform: () => Promise<void>;
  readonly isLast: boolean;
}

const firstPauseMs = 50;

/** Writes to one place, one at a time. One that comes meanwhile takes the place of any that waits. */
export class LatestWrite {
  private readonly options: LatestWriteOptions;
  private readonly ended = new AbortController();
  private waiting: Write | undefined;
  private running: Promise<void> | undefined;

  constructor(options: LatestWriteOptions) {
    this.options = options;
  }

  /** Resolves when nothing is left to be written. */
  get settled(): Promise<void> {
    return this.running ?? this.options.after;
  }

  /** Tries it once: another one will follow. */
  next(perform: Write['perform']): void {
    this.set({ perform, isLast: false });
  }

  /** Tries it until it succeeds, or another one follows after all. */
  last(perform: Write['perform']): void {
    this.set({ perform, isLast: true });
  }

  /** Gives up what is not written yet. */
  abandon(): void {
    this.ended.abort();
  }

  private set(write: Write): void {
    this.waiting = write;
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    const { after, retryMs, failed } = this.options;
    await after;
    await retried(() => this.write(), {
      signal: this.ended.signal,
      betweenTries: { firstMs: firstPauseMs, longestMs: retryMs },
      failed: (error, attempt) => failed(error, { attempt, isTriedAgain: this.waiting !== undefined }),
    }).catch(() => undefined);
    this.running = undefined;
  }

  /** All that comes while it writes, too. */
  private async write(): Promise<void> {
    for (let write = this.waiting; write !== undefined; write = this.waiting) {
      if (!write.isLast) this.waiting = undefined;
      await write.perform();
      if (this.waiting === write) this.waiting = undefined;
    }
  }
}
