import { viewIndexes, viewLists, type ViewName } from '../../wire/views/views.js';
import type { ViewChange, ViewFilter, ViewQuery } from '../../ports/viewStore.js';
import { forEachInSlices, workSlices } from '../../runtime/workSlices.js';
import { Collection, freezeDeeply, removableEntriesOf, type Document } from './collection.js';
import { compileFilter } from './compiledFilter.js';
import { countDocuments, findDocuments } from './slicedQueries.js';

/** The changes of single documents that a change comes to, as the documents are now. */
type Step = () => readonly (() => void)[];

/** Changing so many documents takes about a millisecond. */
const few = 500;

/** Every view in memory; `record` is called for each document that changes. */
export class ViewDocuments {
  private readonly collections: ReadonlyMap<string, Collection>;

  constructor(record: (view: ViewName, id: string, document: Document | undefined) => void) {
    this.collections = new Map(
      (Object.keys(viewIndexes) as ViewName[]).map((view) => [
        view,
        new Collection(viewIndexes[view], viewLists[view], (id, document) => record(view, id, document)),
      ]),
    );
  }

  load(view: string, id: string, document: Document): void {
    this.of(view).load(id, document);
  }

  get(view: ViewName, id: string): Document | undefined {
    return this.of(view).get(id);
  }

  matching(view: ViewName, filter: ViewFilter): Document[] {
    return this.of(view)
      .matching(compileFilter(filter))
      .map((entry) => entry.document);
  }

  async find(view: ViewName, filter: ViewFilter, query: Omit<ViewQuery, 'filter'>): Promise<Document[]> {
    return findDocuments(this.of(view), compileFilter(filter), query);
  }

  async count(view: ViewName, filter: ViewFilter): Promise<number> {
    return countDocuments(this.of(view), compileFilter(filter));
  }

  *all(): Iterable<readonly [view: string, id: string, document: Document]> {
    for (const [view, collection] of this.collections)
      for (const { id, document } of collection.entries()) yield [view, id, document];
  }

  /** All of them, or none where one is rejected. Runs in one turn of the event loop, so no read sees a part. */
  apply(changes: readonly ViewChange[]): void {
    for (const step of this.stepsFor(changes)) for (const change of step()) change();
  }

  /**
   * Like `apply`, but a change of many documents, such as the removal of an app with all its rooms, runs in slices. Reads may see a
   * part of it. Large documents are prepared one in each turn. `assertCurrent` throws to end it.
   */
  async applyInSlices(changes: readonly ViewChange[], assertCurrent: () => void): Promise<void> {
    const slices = workSlices();
    const steps = this.stepsFor(changes);
    for (const change of changes) {
      const values = 'put' in change ? change.doc : 'set' in change ? change.set : undefined;
      if (values === undefined || !freezeDeeply(values)) continue;
      await slices.next();
      assertCurrent();
    }
    for (const step of steps) {
      const all = step();
      if (all.length <= few) for (const change of all) change();
      else
        await forEachInSlices(all, slices, (change) => {
          assertCurrent();
          change();
        });
    }
  }

  /** Removes the documents that match. Each step looks at one, and yields whether it was removed; the others may change meanwhile. */
  *removals(view: ViewName, filter: ViewFilter): Generator<boolean> {
    const collection = this.of(view);
    const compiled = compileFilter(filter);
    for (const { id, document } of removableEntriesOf(collection.candidates(compiled))) {
      const isMeant = compiled.matches(document);
      if (isMeant) collection.remove(id);
      yield isMeant;
    }
  }

  /** Validates every change before the first one is applied. */
  private stepsFor(changes: readonly ViewChange[]): readonly Step[] {
    return changes.map((change) => this.stepFor(change));
  }

  private stepFor(change: ViewChange): Step {
    if ('put' in change) {
      const collection = this.of(change.put);
      return () => [() => collection.put(change.id, change.doc as unknown as Document)];
    }
    if ('patch' in change) {
      const collection = this.of(change.patch);
      return () => [() => collection.patch(change.id, change.set)];
    }
    if ('remove' in change) {
      const collection = this.of(change.remove);
      return () => [() => collection.remove(change.id)];
    }
    const filter = compileFilter(change.filter);
    if ('patchWhere' in change) {
      const collection = this.of(change.patchWhere);
      return () =>
        collection.matching(filter).map(
          ({ id }) =>
            () =>
              collection.patch(id, change.set),
        );
    }
    const collection = this.of(change.removeWhere);
    return () =>
      collection.matching(filter).map(
        ({ id }) =>
          () =>
            collection.remove(id),
      );
  }

  private of(view: string): Collection {
    const collection = this.collections.get(view);
    if (!collection) throw new TypeError(`There is no view ${view}`);
    return collection;
  }
}
