import { setTimeout as pause } from 'node:timers/promises';
import { StaleBatch } from '../../../ports/errors.js';
import type { LogPosition } from '../../../ports/eventLog.js';
import type { ViewBatch, ViewChange } from '../../../ports/viewStore.js';
import { assertContinues } from '../continuity.js';
import { allOf } from '../../../runtime/atOnce.js';
import { DocumentWriter } from './documentWriter.js';
import { retirementMs } from './liveGeneration.js';
import { planWrites, type PlannedWrites } from './writePlan.js';
import type { Extent, Progress, ProgressDocument } from './progress.js';
import type { ViewCollections, ViewGeneration } from './viewCollections.js';

/** How long a rebuild may hold back the projector. It needs far less; the bound is for one that was killed. */
const longestHoldMs = 1_000;
const holdStepMs = 10;

/** Writes batches, one after the other: the documents, then the checkpoint. */
export class BatchWriter {
  private readonly collections: ViewCollections;
  private readonly progress: ProgressDocument;
  /** The term in which this writer writes; undefined after a failure. */
  private term: number | undefined;
  /** The progress with which the last batch began. */
  private led: Progress | undefined;
  /** The generation that is being retired, and since when this process has known of it. */
  private retiring: { readonly generation: number; readonly since: number } | undefined;
  private lastWrite: Promise<unknown> = Promise.resolve();

  constructor(collections: ViewCollections, progress: ProgressDocument) {
    this.collections = collections;
    this.progress = progress;
  }

  async apply(batch: ViewBatch): Promise<void> {
    // Rejects unusable changes before anything is written.
    const plan = planWrites(batch.changes);
    await this.inTurn(async () => {
      let progress: Progress | undefined = await this.lead(batch);
      // Writes again where a rebuild has taken over meanwhile: its generation needs the batch as well.
      while (progress !== undefined) {
        this.led = progress;
        await this.write(plan, progress);
        progress = await this.progress.moveTo(batch, progress);
      }
    });
  }

  /**
   * Writes without waiting for the batch that is being written. Resolves true where this writer still leads afterwards, and what it has
   * written is what is read: not while a rebuild takes over, nor for a while after that.
   */
  async ahead(changes: readonly ViewChange[]): Promise<boolean> {
    const { led } = this;
    if (led === undefined || led.term !== this.term || led.retiring !== undefined) return false;
    try {
      await this.write(planWrites(changes), led);
      const found = await this.progress.read();
      return (
        found?.term === led.term &&
        found.generation === led.generation &&
        found.hold === undefined &&
        found.isFilling === undefined
      );
    } catch (error) {
      this.term = undefined;
      throw error;
    }
  }

  /**
   * Writes beside the batches, in turn with them, in the term of this writer; it takes the lead where it has none. Rejects with
   * `StaleBatch` where the checkpoint is before the position, and where another projector leads.
   */
  async beside<T>(
    position: LogPosition,
    write: (documents: ViewGeneration, term: number) => Promise<T>,
  ): Promise<T> {
    const turn = await this.inTurn(async () => {
      const found = await this.progress.read();
      const isLed = found !== undefined && (this.term === undefined || this.term === found.term);
      if (!isLed || found.position === undefined || found.position < position)
        return { checkpoint: found?.position };
      const { term, generation = 0 } =
        this.term === undefined ? await this.takeLeadAt(found.position) : found;
      return { written: await write(this.collections.generation(generation), term) };
    });
    if ('written' in turn) return turn.written;
    // Outside of the turn: a writer that has lost the lead keeps its old term, so that its next batch is refused as well.
    throw new StaleBatch(position, turn.checkpoint ?? 'of another projector');
  }

  async clear(): Promise<void> {
    await this.inTurn(async () => {
      await this.finishClearing(await this.progress.newTermForClearing());
    });
  }

  async drained(): Promise<void> {
    await this.lastWrite;
  }

  private async write(plan: PlannedWrites, { term, generation = 0, retiring }: Progress): Promise<void> {
    const written = retiring === undefined ? [generation] : [generation, retiring];
    await allOf(
      written.flatMap((number) =>
        [...plan].map(([view, writes]) =>
          new DocumentWriter(this.collections.generation(number).of(view), term).write(writes),
        ),
      ),
    );
  }

  /** The term to write in. A writer with newer events takes the lead; the earlier one gets `StaleBatch`. */
  private async lead(batch: Extent): Promise<Progress> {
    const progress = await this.progressOnceReleased();
    const checkpoint = progress?.position;
    assertContinues(batch, checkpoint);
    if (this.term === undefined) return this.takeLead(batch);
    if (progress === undefined || this.term !== progress.term)
      throw new StaleBatch(batch.position, checkpoint ?? 'of another projector');
    return this.withoutRetired(progress);
  }

  private async takeLead(batch: Extent): Promise<Progress> {
    const progress = await this.progress.newTerm(batch);
    if (progress.isClearing) await this.finishClearing(progress);
    this.term = progress.term;
    return progress;
  }

  private async takeLeadAt(checkpoint: LogPosition): Promise<Progress> {
    const progress = await this.progress.newTermAt(checkpoint);
    this.term = progress.term;
    return progress;
  }

  private async finishClearing({ term, generation = 0 }: Progress): Promise<void> {
    await this.collections.generation(generation).drop();
    await this.collections.dropGenerationsBut([generation]);
    await this.collections.generation(generation).makeIndexes();
    await this.progress.cleared(term);
    this.term = term;
  }

  /** Waits while a rebuild that is about to take over holds back writes. */
  private async progressOnceReleased(): Promise<Progress | undefined> {
    const until = performance.now() + longestHoldMs;
    for (;;) {
      const progress = await this.progress.read();
      if (progress?.hold === undefined) return progress;
      if (performance.now() < until) await pause(holdStepMs);
      else await this.progress.release(progress.hold);
    }
  }

  private async withoutRetired(progress: Progress): Promise<Progress> {
    const { retiring, ...rest } = progress;
    if (retiring === undefined) return progress;
    if (this.retiring?.generation !== retiring)
      this.retiring = { generation: retiring, since: performance.now() };
    if (performance.now() - this.retiring.since < retirementMs) return progress;
    if (await this.progress.retire(retiring)) await this.collections.generation(retiring).drop();
    return rest;
  }

  /** A failure ends the term, so that writes still in progress on the server belong to an earlier term. */
  private inTurn<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.lastWrite.then(write).catch((error: unknown) => {
      this.term = undefined;
      throw error;
    });
    this.lastWrite = turn.catch(() => undefined);
    return turn;
  }
}
