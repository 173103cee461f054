import type { LogPosition } from '../../../ports/eventLog.js';
import { EngineUnavailable } from '../../../ports/errors.js';
import type { ViewExtent } from '../../../ports/viewStore.js';
import { extentOf, isReadable, type Progress } from './progress.js';
import { Shortfall } from './shortfall.js';
import type { ViewGeneration } from './viewCollections.js';

/** A reader refreshes its knowledge of the live generation after this time, and continues reading meanwhile. */
const askAfterMs = 1_000;
/** No read starts with an answer older than this. */
const usableMs = 5_000;
/** A read that ends this long after the refresh is repeated, since the generation may have been removed. */
const trustedMs = 10_000;
/** After a switch the projector writes both generations for this long; no reader uses the old one afterwards. */
export const retirementMs = 15_000;

export interface LiveGenerationDeps {
  readonly readProgress: () => Promise<Progress | undefined>;
  readonly generation: (number: number) => ViewGeneration;
  /** Read models that are left behind may be read: their projector must, or it could not catch up. */
  readonly mayBeLeftBehind?: boolean;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Which generation a reader uses. A read costs no extra request: the answer is cached for a moment, and updated whenever the
 * progress is read anyway.
 */
export class LiveGeneration {
  private readonly deps: LiveGenerationDeps;
  private number = 0;
  private isReadable = false;
  private isSetAside = false;
  private readonly shortfall = new Shortfall();
  /** When the request for the current answer was sent. */
  private askedAt = -Infinity;
  private asking: Promise<void> | undefined;

  constructor(deps: LiveGenerationDeps) {
    this.deps = deps;
  }

  /** As of the last look. */
  get isLeftBehind(): boolean {
    if (this.deps.mayBeLeftBehind) return false;
    return this.isSetAside || this.shortfall.isTooLong(this.deps.now());
  }

  /**
   * The documents as of the start of the read, or newer. `isAbsence`: whether the result may also come from a database that was
   * lost a moment ago, so that the progress is asked for again. Rejects with `EngineUnavailable` while nobody may read.
   */
  async read<T>(
    action: (generation: ViewGeneration) => Promise<T>,
    isAbsence: (result: T) => boolean,
  ): Promise<T> {
    for (;;) {
      // Where nobody may read, that is asked each time: it ends at any moment.
      if (this.ageMs() >= usableMs || !this.mayRead) await this.ask();
      else if (this.ageMs() >= askAfterMs) this.ask().catch(() => undefined);
      const askedAt = this.askedAt;
      this.assertReadable();
      const result = await action(this.deps.generation(this.number));
      if (isAbsence(result)) {
        await this.askAfterwards();
        this.assertReadable();
      }
      if (this.deps.now() - askedAt < trustedMs) return result;
    }
  }

  /** Reads the progress, and from it the live generation. */
  async progress(): Promise<Progress | undefined> {
    const askedAt = this.deps.now();
    const progress = await this.deps.readProgress();
    if (askedAt >= this.askedAt) {
      this.askedAt = askedAt;
      this.number = progress?.generation ?? 0;
      this.isReadable = isReadable(progress);
      this.isSetAside = progress?.isSetAside !== undefined;
      this.shortfall.look(progress ?? {}, askedAt);
    }
    return progress;
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    return (await this.progress())?.position;
  }

  async extent(): Promise<ViewExtent | undefined> {
    const extent = extentOf(await this.progress());
    return this.isLeftBehind ? undefined : extent;
  }

  async admitsReaders(): Promise<boolean> {
    return isReadable(await this.progress()) && !this.isLeftBehind;
  }

  private ageMs(): number {
    return this.deps.now() - this.askedAt;
  }

  private get mayRead(): boolean {
    return this.isReadable && !this.isLeftBehind;
  }

  private assertReadable(): void {
    if (!this.mayRead) throw new EngineUnavailable('read models');
  }

  /** By a request that was sent after this call. */
  private async askAfterwards(): Promise<void> {
    await this.asking?.catch(() => undefined);
    await this.ask();
  }

  private async ask(): Promise<void> {
    this.asking ??= this.progress()
      .then(() => undefined)
      .finally(() => (this.asking = undefined));
    await this.asking;
  }
}
