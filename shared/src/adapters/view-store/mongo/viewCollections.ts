import type { Collection, Db } from 'mongodb';
import { viewIndexes, viewsVersion, type ViewName } from '../../../contracts/views/views.js';
import { isNotImplemented } from './engineErrors.js';
import type { StoredConnections } from './connectionRecords.js';
import type { Progress } from './progressRecord.js';
import type { StoredDocument } from './storedDocument.js';
import type { StoredUsage } from './usageRecords.js';
import type { StoredUse } from './useRecords.js';

const views = Object.keys(viewIndexes) as ViewName[];

/** Longer than any write of a projector that lost the lead can be under way. */
const removalsKeptSeconds = 86_400;
/** Longer than any gateway that is alive is silent. */
const connectionsKeptSeconds = 86_400;

/**
 * A collection for each view, and one for the progress. Their names hold the version of the views: a program of another
 * version has collections of its own, so that both run side by side while the new one catches up. Those of an old
 * version stay until somebody drops them. The last uses and the usage, which no log could bring back, are the same for
 * all versions.
 */
export class ViewCollections {
  readonly progress: Collection<Progress>;
  readonly lastUses: Collection<StoredUse>;
  readonly usage: Collection<StoredUsage>;
  readonly connections: Collection<StoredConnections>;
  readonly #documents: ReadonlyMap<string, Collection<StoredDocument>>;

  constructor(database: Db) {
    const nameOf = (what: string): string => `v${viewsVersion}_${what}`;
    this.progress = database.collection(nameOf('progress'));
    this.lastUses = database.collection('last_uses');
    this.usage = database.collection('usage');
    this.connections = database.collection('connections');
    this.#documents = new Map(views.map((view) => [view, database.collection(nameOf(view))]));
  }

  of(view: ViewName): Collection<StoredDocument> {
    const collection = this.#documents.get(view);
    if (!collection) throw new TypeError(`There is no view ${view}`);
    return collection;
  }

  async makeIndexes(): Promise<void> {
    await Promise.all(views.map((view) => this.#makeIndexesOf(view)));
    await forgetAfter(this.connections, 'at', connectionsKeptSeconds);
  }

  async removeAllDocuments(): Promise<void> {
    await Promise.all(views.map((view) => this.of(view).drop()));
    await this.makeIndexes();
  }

  async #makeIndexesOf(view: ViewName): Promise<void> {
    const collection = this.of(view);
    for (const fields of distinctIndexes(viewIndexes[view]))
      await collection.createIndex(Object.fromEntries(fields.map((field) => [field, 1])));
    await forgetAfter(collection, '_removedAt', removalsKeptSeconds);
  }
}

const forgetAfter = async <T extends object>(
  collection: Collection<T>,
  field: string,
  expireAfterSeconds: number,
): Promise<void> => {
  await collection
    .createIndex({ [field]: 1 }, { expireAfterSeconds, sparse: true })
    .catch((error: unknown) => {
      // Such a server keeps what nobody looks at any more, which only costs space.
      if (!isNotImplemented(error)) throw error;
    });
};

/** Without those that another one begins with: MongoDB looks up by the first fields of an index too. */
const distinctIndexes = (indexes: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  indexes.filter(
    (index) =>
      !indexes.some((other) => other.length > index.length && index.every((field, n) => field === other[n])),
  );
