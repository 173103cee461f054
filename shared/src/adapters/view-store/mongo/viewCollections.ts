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

const prefixOf = (version: number, generation: number): string =>
  generation === 0 ? `v${version}_` : `v${version}_g${generation}_`;

const namesOfVersions = /^v(\d+)_(?:g(\d+)_)?(\w+)$/;
const progressName = 'progress';

/** The documents of all views, one collection each. A rebuild creates another generation next to the live one. */
export class ViewGeneration {
  readonly number: number;
  private readonly collections: ReadonlyMap<string, Collection<StoredDocument>>;

  constructor(database: Db, version: number, number: number) {
    this.number = number;
    const prefix = prefixOf(version, number);
    this.collections = new Map(
      views.map((view) => [view, database.collection<StoredDocument>(prefix + view)]),
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

/** A process that reads the read models of a version; see `ReaderRegistration`. */
export interface StoredReader {
  /** Another one with each start. */
  readonly _id: string;
  readonly version: number;
  readonly name: string;
  /** Grows for as long as the process lives. */
  readonly beats: number;
}

/**
 * A collection for each view of each generation, and one for the progress, which says what generation is read. Their names
 * hold the version of the views: a program of another version has collections of its own, so that both run side by side
 * while the new one catches up. `MongoViewVersions` drops those of an old version.
 */
export class ViewCollections {
  readonly version: number;
  readonly progress: Collection<Progress>;
  /** Of all versions. */
  readonly readers: Collection<StoredReader>;
  private readonly database: Db;
  private readonly generations = new Map<number, ViewGeneration>();

  constructor(database: Db, version = viewsVersion) {
    this.version = version;
    this.database = database;
    this.progress = database.collection(`v${version}_${progressName}`);
    this.readers = database.collection('viewReaders');
  }

  generation(number: number): ViewGeneration {
    const generation =
      this.generations.get(number) ?? new ViewGeneration(this.database, this.version, number);
    this.generations.set(number, generation);
    return generation;
  }

  /** Drops the generations of rebuilds that were killed, and those that are no longer read. */
  async dropGenerationsBut(used: readonly (number | undefined)[]): Promise<void> {
    await this.dropWhere((generation) => !used.includes(generation));
  }

  async dropGenerationsBefore(first: number): Promise<void> {
    await this.dropWhere((generation) => generation < first);
  }

  /** The versions that have a progress document, and the generations of which each has documents. */
  async versions(): Promise<ReadonlyMap<number, readonly number[]>> {
    const names = await this.names();
    const versions = names.flatMap(({ version, view }) => (view === progressName ? [version] : []));
    const generationsOf = (version: number) =>
      names.flatMap((name) =>
        name.version === version && name.view !== progressName ? [name.generation] : [],
      );
    return new Map(versions.map((version) => [version, generationsOf(version)]));
  }

  /** Of this version, whatever views its program has. */
  private async dropWhere(isUnused: (generation: number) => boolean): Promise<void> {
    for (const { name, version, generation, view } of await this.names())
      if (version === this.version && view !== progressName && isUnused(generation))
        await this.database.dropCollection(name);
  }

  private async names() {
    const found = await this.database.listCollections({}, { nameOnly: true }).toArray();
    return found.flatMap(({ name }) => {
      const [, version, generation = '0', view] = namesOfVersions.exec(name) ?? [];
      return view === undefined
        ? []
        : [{ name, version: Number(version), generation: Number(generation), view }];
    });
  }
}
