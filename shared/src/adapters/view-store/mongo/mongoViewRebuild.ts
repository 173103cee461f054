import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { RebuildSuperseded, StaleBatch } from '../../../ports/errors.js';
import type { LogPosition } from '../../../ports/eventLog.js';
import type { ViewRebuild } from '../../../ports/viewStore.js';
import type { ViewBatch, ViewChange } from '../../../ports/viewStore.js';
import { allOf } from '../../../runtime/atOnce.js';
import { DocumentWriter } from './documentWriter.js';
import { retirementMs } from './liveGeneration.js';
import { WritePlan } from './writePlan.js';
import type { ProgressDocument } from './progress.js';
import type { ViewCollections } from './viewCollections.js';
import type { ViewGeneration } from './viewCollections.js';

/** Terms of documents that are not live yet: lower than the terms of all projectors. */
const firstTerm = -1_000_000_000;
const betweenChecksMs = 1_000;
const betweenLooksMs = 100;
/**
 * Characters of changes that are gathered before they are written, while as many are being written. Nothing reads a generation
 * that is being built, so a document that changes often is written once.
 */
const gatheredSize = 8_000_000;

interface RebuildDeps {
  readonly collections: ViewCollections;
  readonly progress: ProgressDocument;
  /** Makes this process read from the generation that is live now. */
  readonly lookAgain: () => Promise<unknown>;
  /** Around everything that goes to the server. */
  readonly call: <T>(action: () => Promise<T>) => Promise<T>;
}

/** A generation that is being built next to the live one. A later rebuild supersedes it. */
class MongoViewRebuild implements ViewRebuild {
  private readonly deps: RebuildDeps;
  private readonly generation: ViewGeneration;
  private readonly hold = randomUUID();
  private term = firstTerm;
  private position: LogPosition | undefined;
  private checkedAt = performance.now();
  private isLive = false;
  private gathered = new WritePlan();
  /** The plan that is being written. */
  private inFlight: { readonly plan: WritePlan; written: Promise<void> | undefined } | undefined;

  constructor(deps: RebuildDeps, generation: ViewGeneration) {
    this.deps = deps;
    this.generation = generation;
  }

  async apply({ changes, position }: ViewBatch): Promise<void> {
    if (this.position !== undefined && position <= this.position)
      throw new StaleBatch(position, this.position);
    await this.deps.call(async () => {
      await this.assertCurrent();
      if (this.gathered.size >= gatheredSize) await this.send();
    });
    this.gathered.add(changes);
    this.position = position;
  }

  async takeOver(changes: readonly ViewChange[]): Promise<boolean> {
    return this.deps.call(async () => {
      this.isLive = await this.switch(changes);
      // This process switches immediately, the others within seconds.
      if (this.isLive) await this.deps.lookAgain();
      return this.isLive;
    });
  }

  async abandon(): Promise<void> {
    if (this.isLive) return;
    // A write after the drop would create the collection again.
    await this.inFlight?.written?.catch(() => undefined);
    await this.deps.call(async () => {
      const { number } = this.generation;
      await this.deps.progress.endBuilding(number);
      // The answer to a successful take-over may have been lost.
      const found = await this.deps.progress.read();
      if (found?.generation !== number && found?.retiring !== number) await this.generation.drop();
    });
  }

  private async switch(changes: readonly ViewChange[]): Promise<boolean> {
    const { progress } = this.deps;
    const { number } = this.generation;
    // Before the projector is held back.
    await this.writeGathered();
    const held = await progress.hold(number, this.hold);
    if (held === undefined) {
      // The answer to the last try may have been lost.
      if ((await progress.read())?.generation === number) return true;
      throw new RebuildSuperseded();
    }
    if (this.position === undefined || held.position !== this.position) return false;
    this.gathered.add(changes);
    await this.writeGathered();
    return progress.switchTo(number, held);
  }

  private async writeGathered(): Promise<void> {
    await this.send();
    await this.settled();
  }

  /** Starts writing the collected changes once the previous write has ended. */
  private async send(): Promise<void> {
    await this.settled();
    const plan = this.gathered;
    this.gathered = new WritePlan();
    const written = this.write(plan);
    // The next send reports the failure.
    written.catch(() => undefined);
    this.inFlight = { plan, written };
  }

  /** Waits for the write in flight; one that failed is repeated by the next call. */
  private async settled(): Promise<void> {
    const sent = this.inFlight;
    if (sent === undefined) return;
    sent.written ??= this.write(sent.plan);
    await sent.written.catch((error: unknown) => {
      sent.written = undefined;
      throw error;
    });
    this.inFlight = undefined;
  }

  private async write(plan: WritePlan): Promise<void> {
    const writes = [...plan.writes].map(([view, planned]) =>
      new DocumentWriter(this.generation.of(view), this.term).write(planned),
    );
    await allOf(writes).catch((error: unknown) => {
      // Writes still in progress on the server must not undo later ones.
      this.term += 1;
      throw error;
    });
  }

  /** Not with every batch: needless work does no harm. */
  private async assertCurrent(): Promise<void> {
    if (performance.now() - this.checkedAt < betweenChecksMs) return;
    this.checkedAt = performance.now();
    if ((await this.deps.progress.read())?.building !== this.generation.number) throw new RebuildSuperseded();
  }
}

/** Rejects with `RebuildSuperseded` where there are no read models, or another rebuild started at the same time. */
export const beginMongoRebuild = async (deps: RebuildDeps): Promise<ViewRebuild> => {
  const { collections, progress, call } = deps;
  await call(() => retireBefore(deps));
  const number = await call(() => progress.beginBuilding());
  const found = await call(() => progress.read());
  if (number === undefined || found?.building !== number) throw new RebuildSuperseded();
  await call(() => collections.dropGenerationsBut([found.generation ?? 0, found.retiring]));
  const generation = collections.generation(number);
  await call(() => generation.makeIndexes());
  return new MongoViewRebuild(deps, generation);
};

/** Waits until the retiring generation is removed. Removes it here where no projector has written since its time ended. */
const retireBefore = async ({ collections, progress }: RebuildDeps): Promise<void> => {
  const retiring = (await progress.read())?.retiring;
  if (retiring === undefined) return;
  const from = performance.now();
  while ((await progress.read())?.retiring === retiring) {
    if (performance.now() - from < retirementMs) await pause(betweenLooksMs);
    else if (await progress.retire(retiring)) await collections.generation(retiring).drop();
  }
};
