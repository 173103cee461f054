import { backOffMs, sleep } from '@roomwire/shared/runtime/waiting';

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
    const { signal } = this.ended;
    await this.options.after;
    for (let failures = 0; this.waiting !== undefined && !signal.aborted;) {
      const write = this.waiting;
      this.waiting = undefined;
      if (await this.hasSucceeded(write, failures + 1)) {
        failures = 0;
        continue;
      }
      failures += 1;
      if (write.isLast) this.waiting ??= write;
      const pauseMs = backOffMs({ firstMs: firstPauseMs, longestMs: this.options.retryMs }, failures);
      if (this.waiting === write) await sleep(pauseMs, signal);
    }
    this.running = undefined;
  }

  private async hasSucceeded({ perform, isLast }: Write, attempt: number): Promise<boolean> {
    try {
      await perform();
      return true;
    } catch (error) {
      this.options.failed(error, { attempt, isTriedAgain: isLast });
      return false;
    }
  }
}
