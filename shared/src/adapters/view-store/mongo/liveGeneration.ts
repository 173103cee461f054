import type { LogPosition } from '../../../ports/eventLog.js';
import type { Progress } from './progress.js';
import type { ViewGeneration } from './viewCollections.js';

/** A reader asks anew which generation is live when its answer is this old, and reads on meanwhile. */
const askAfterMs = 1_000;
/** With an answer older than that nobody begins to read. */
const usableMs = 5_000;
/** What took until then from the question on is read again: the generation may be gone. */
const trustedMs = 10_000;
/** Where another generation takes over, the projector writes both for so long: no reader goes to the old one any more. */
export const retirementMs = 15_000;

export interface LiveGenerationDeps {
  readonly readProgress: () => Promise<Progress | undefined>;
  readonly generation: (number: number) => ViewGeneration;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}

/**
 * Where a reader finds the documents. It costs no request of its own on the way of a read: the answer is kept for a
 * moment, and comes along whenever the progress is read anyway.
 */
export class LiveGeneration {
  private readonly deps: LiveGenerationDeps;
  private number = 0;
  /** When the question was put whose answer this is. */
  private askedAt = -Infinity;
  private asking: Promise<void> | undefined;

  constructor(deps: LiveGenerationDeps) {
    this.deps = deps;
  }

  /** The documents as they are at least since the read began. */
  async read<T>(action: (generation: ViewGeneration) => Promise<T>): Promise<T> {
    for (;;) {
      if (this.ageMs() >= usableMs) await this.ask();
      else if (this.ageMs() >= askAfterMs) this.ask().catch(() => undefined);
      const askedAt = this.askedAt;
      const result = await action(this.deps.generation(this.number));
      if (this.deps.now() - askedAt < trustedMs) return result;
    }
  }

  /** The progress, of which the generation is learnt. */
  async progress(): Promise<Progress | undefined> {
    const askedAt = this.deps.now();
    const progress = await this.deps.readProgress();
    if (askedAt >= this.askedAt) {
      this.askedAt = askedAt;
      this.number = progress?.generation ?? 0;
    }
    return progress;
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    return (await this.progress())?.position;
  }

  private ageMs(): number {
    return this.deps.now() - this.askedAt;
  }

  private async ask(): Promise<void> {
    this.asking ??= this.progress()
      .then(() => undefined)
      .finally(() => (this.asking = undefined));
    await this.asking;
  }
}
