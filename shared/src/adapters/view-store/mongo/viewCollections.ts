import type { Collection, Db } from 'mongodb';
import {
  viewIndexes,
  viewLists,
  viewOrders,
  viewsVersion,
  type ViewName,
} from '../../../wire/views/views.js';
import { expireAfter, makeIndex } from '../../mongo/collections.js';
import type { Progress } from './progress.js';
import type { StoredDocument } from './storedDocument.js';

const views = Object.keys(viewIndexes) as ViewName[];

/** Longer than a write of a projector that lost the lead can be in flight. */
const removalsExpireSeconds = 86_400;

const prefixOf = (generation: number): string =>
  generation === 0 ? `v${viewsVersion}_` : `v${viewsVersion}_g${generation}_`;

/** The generation of a collection; undefined for one that is no view of this version. */
const generationOf = (collectionName: string): number | undefined => {
  const [, version, generation = '0', view] = /^v(\d+)_(?:g(\d+)_)?(\w+)$/.exec(collectionName) ?? [];
  const isView = Number(version) === viewsVersion && views.some((name) => name === view);
  return isView ? Number(generation) : undefined;
};

/** The documents of all views, one collection each. A rebuild creates another generation next to the live one. */
export class ViewGeneration {
  readonly number: number;
  private readonly collections: ReadonlyMap<string, Collection<StoredDocument>>;

  constructor(database: Db, number: number) {
    this.number = number;
    this.collections = new Map(
      views.map((view) => [view, database.collection<StoredDocument>(prefixOf(number) + view)]),
    );
  }

  of(view: ViewName): Collection<StoredDocument> {
    const collection = this.collections.get(view);
    if (!collection) throw new TypeError(`There is no view ${view}`);
    return collection;
  }

  async makeIndexes(): Promise<void> {
    await Promise.all(views.map((view) => this.makeIndexesOf(view)));
  }

  async drop(): Promise<void> {
    await Promise.all(views.map((view) => this.of(view).drop()));
  }

  private async makeIndexesOf(view: ViewName): Promise<void> {
    const collection = this.of(view);
    for (const fields of indexesOf(view))
      await makeIndex(collection, Object.fromEntries(fields.map((field) => [field, 1])));
    await expireAfter(collection, '_removedAt', removalsExpireSeconds);
  }
}

/** An index of a list serves its filter and its sort, in both directions and from any place on. */
export const indexesOf = (view: ViewName): readonly (readonly string[])[] =>
  distinctIndexes([
    ...viewIndexes[view],
    ...viewLists[view].map((fields) => [...fields, 'createdPosition']),
    ...(viewOrders[view] ?? []),
  ]);

/** Without those that another one begins with: MongoDB looks up by the first fields of an index too. */
const distinctIndexes = (indexes: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  indexes.filter(
    (index) =>
      !indexes.some((other) => other.length > index.length && index.every((field, n) => field === other[n])),
  );

/**
 * A collection for each view of each generation, and one for the progress, which says what generation is read. Their names
 * hold the version of the views: a program of another version has collections of its own, so that both run side by side
 * while the new one catches up. Those of an old version stay until an operator drops them.
 */
export class ViewCollections {
  readonly progress: Collection<Progress>;
  private readonly database: Db;
  private readonly generations = new Map<number, ViewGeneration>();

  constructor(database: Db) {
    this.database = database;
    this.progress = database.collection(`v${viewsVersion}_progress`);
  }

  generation(number: number): ViewGeneration {
    const generation = this.generations.get(number) ?? new ViewGeneration(this.database, number);
    this.generations.set(number, generation);
    return generation;
  }

  /** Drops the generations of rebuilds that were killed, and those that are no longer read. */
  async dropGenerationsBut(used: readonly (number | undefined)[]): Promise<void> {
    const names = await this.database.listCollections({}, { nameOnly: true }).toArray();
    const generations = new Set(names.map(({ name }) => generationOf(name)));
    for (const generation of generations)
      if (generation !== undefined && !used.includes(generation)) await this.generation(generation).drop();
  }
}
