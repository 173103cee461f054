import { StaleBatch } from '../../../ports/errors.js';
import type { LogPosition } from '../../../ports/eventLog.js';
import type { ViewBatch } from '../../../ports/viewStore.js';
import { DocumentWriter } from './documentWriter.js';
import { planWrites } from './plannedWrites.js';
import type { Progress, ProgressRecord } from './progressRecord.js';
import type { ViewCollections } from './viewCollections.js';

/** Writes batches, one after the other: the documents, then the checkpoint. */
export class BatchWriter {
  readonly #collections: ViewCollections;
  readonly #progress: ProgressRecord;
  /** The term in which this one writes, while nothing has gone wrong in it. */
  #term: number | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(collections: ViewCollections, progress: ProgressRecord) {
    this.#collections = collections;
    this.#progress = progress;
  }

  async apply({ changes, position }: ViewBatch): Promise<void> {
    // Everything that can be refused is refused here, before anything is written.
    const plan = [...planWrites(changes)].map(
      ([view, writes]) => [this.#collections.of(view), writes] as const,
    );
    await this.#inTurn(async () => {
      const term = await this.#lead(position);
      await allOf(plan.map(([collection, writes]) => new DocumentWriter(collection, term).write(writes)));
      await this.#progress.moveTo(position, term);
    });
  }

  async clear(): Promise<void> {
    await this.#inTurn(async () => this.#finishClearing(await this.#progress.newTermForClearing()));
  }

  async drained(): Promise<void> {
    await this.#lastWrite;
  }

  /** The term to write in. Whoever comes with news takes the lead; whoever had it before is told so. */
  async #lead(position: LogPosition): Promise<number> {
    const { term, position: checkpoint } = (await this.#progress.read()) ?? {};
    if (checkpoint !== undefined && position <= checkpoint) throw new StaleBatch(position, checkpoint);
    if (this.#term === undefined) return this.#takeLead(position);
    if (this.#term !== term) throw new StaleBatch(position, checkpoint ?? 'of another projector');
    return term;
  }

  async #takeLead(position: LogPosition): Promise<number> {
    const progress = await this.#progress.newTerm(position);
    if (progress.isClearing) await this.#finishClearing(progress);
    this.#term = progress.term;
    return progress.term;
  }

  async #finishClearing({ term }: Progress): Promise<void> {
    await this.#collections.removeAllDocuments();
    await this.#progress.cleared(term);
    this.#term = term;
  }

  /** After a failure, what the server may still be doing belongs to a term gone by. */
  #inTurn(write: () => Promise<void>): Promise<void> {
    const turn = this.#lastWrite.then(write).catch((error: unknown) => {
      this.#term = undefined;
      throw error;
    });
    this.#lastWrite = turn.catch(() => undefined);
    return turn;
  }
}

/** Waits for all of them, and then fails as the first that failed: nothing goes on behind the caller's back. */
const allOf = async (writes: readonly Promise<void>[]): Promise<void> => {
  await Promise.allSettled(writes);
  await Promise.all(writes);
};
