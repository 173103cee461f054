import { sleep } from '../../../runtime/waiting.js';
import { cascadeFilter } from '../../../wire/views/cascades.js';
import type { Cascade, ViewName } from '../../../wire/views/views.js';
import type { BatchWriter } from './batchWriter.js';
import { DocumentWriter, idsWhere } from './documentWriter.js';
import { storedFilter } from './storedDocument.js';
import type { ViewGeneration } from './viewCollections.js';

/** How long a batch may have to wait for a bulk. Some engines take a hundred times as long for a document as others. */
const bulkMs = 50;
const firstBulk = 50;
const largestBulk = 1_000;
/** Standbys see that the sweep moves. */
const betweenNotesMs = 1_000;

interface SweepDeps {
  readonly writer: Pick<BatchWriter, 'beside'>;
  /** Around everything that goes to the server. */
  readonly call: <T>(action: () => Promise<T>) => Promise<T>;
}

interface Found {
  readonly view: ViewName;
  readonly id: string;
}

/**
 * Removes the documents of a cascade, bulk by bulk, each between two batches. It reads while batches are written, and rests as long as it
 * writes, so that it never has more than half of the server.
 */
export class CascadeSweep {
  private readonly deps: SweepDeps;
  private readonly cascade: Cascade;
  private removed: number;
  private bulkSize = firstBulk;
  private notedAt = -Infinity;

  constructor(deps: SweepDeps, cascade: Cascade) {
    this.deps = deps;
    this.cascade = cascade;
    this.removed = cascade.removed;
  }

  async run(signal: AbortSignal): Promise<void> {
    const swept = await this.write(async (documents) => documents);
    const found = this.find(swept);
    try {
      while (!signal.aborted) {
        const bulk = await this.deps.call(() => taken(found, this.bulkSize));
        // A rebuild may have put other documents in place, which have nothing of what this removes.
        const tookMs = await this.write(async (documents, term) =>
          documents === swept ? this.step(bulk, documents, term) : undefined,
        );
        if (tookMs === undefined) return;
        this.bulkSize = sizeAfter(bulk.length, tookMs);
        await sleep(tookMs, signal);
      }
    } finally {
      // Closes the cursor.
      await found.return().catch(() => undefined);
    }
  }

  private write<T>(write: (documents: ViewGeneration, term: number) => Promise<T>): Promise<T> {
    return this.deps.call(() => this.deps.writer.beside(this.cascade.createdPosition, write));
  }

  /** Resolves with how long it took; undefined where nothing was left, and the cascade has been removed. */
  private async step(
    bulk: readonly Found[],
    documents: ViewGeneration,
    term: number,
  ): Promise<number | undefined> {
    if (bulk.length === 0) return this.end(documents);
    const from = performance.now();
    for (const [view, ids] of byView(bulk))
      await new DocumentWriter(documents.of(view), term).removeFound(this.cascade.owner, ids);
    await this.note(bulk.length, documents, term);
    return performance.now() - from;
  }

  private async *find(documents: ViewGeneration): AsyncGenerator<Found, void, undefined> {
    const where = storedFilter(cascadeFilter(this.cascade));
    for (const view of this.cascade.views)
      for await (const id of idsWhere(documents.of(view), where)) yield { view, id };
  }

  private async note(removed: number, documents: ViewGeneration, term: number): Promise<void> {
    this.removed += removed;
    if (performance.now() - this.notedAt < betweenNotesMs) return;
    this.notedAt = performance.now();
    const note = new Map([[this.cascade.deletedId, { set: { removed: this.removed } }]]);
    await new DocumentWriter(documents.of('cascades'), term).write([{ documents: note }]);
  }

  /** Without a tombstone: where a late write of an earlier term brings the cascade back, it is swept again and finds nothing. */
  private async end(documents: ViewGeneration): Promise<undefined> {
    await documents.of('cascades').deleteOne({ _id: this.cascade.deletedId });
  }
}

const taken = async (found: AsyncGenerator<Found, void, undefined>, most: number): Promise<Found[]> => {
  const bulk: Found[] = [];
  while (bulk.length < most) {
    const next = await found.next();
    if (next.done === true) break;
    bulk.push(next.value);
  }
  return bulk;
};

const byView = (bulk: readonly Found[]): ReadonlyMap<ViewName, readonly string[]> => {
  const views = new Map<ViewName, string[]>();
  for (const { view, id } of bulk) {
    const ids = views.get(view) ?? [];
    ids.push(id);
    views.set(view, ids);
  }
  return views;
};

/** So many as would have taken as long as a bulk may, at most twice as many as before. */
const sizeAfter = (size: number, tookMs: number): number =>
  Math.max(1, Math.min(largestBulk, 2 * size, Math.round((size * bulkMs) / tookMs)));
