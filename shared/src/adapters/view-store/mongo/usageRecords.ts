import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { MessageCount } from '../../../ports/viewStore.js';
import { readLimits } from './clientSettings.js';
import { duplicatesIn } from './engineErrors.js';

/** The month and the project. */
export interface StoredUsage {
  readonly _id: string;
  /** By writer. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Identifiers in one query. */
const asked = 5_000;
/** Of a bulk write; the driver splits it no further, and a request stays well below what a server takes. */
const written = 1_000;

/** Accepted publishes: a document for each project and month, with a count for each writer. */
export class UsageRecords {
  readonly #collection: Collection<StoredUsage>;

  constructor(collection: Collection<StoredUsage>) {
    this.#collection = collection;
  }

  async note(writer: string, counts: readonly MessageCount[]): Promise<void> {
    for (let from = 0; from < counts.length; from += written)
      await this.#write(counts.slice(from, from + written).map((count) => operation(writer, count)));
  }

  async of(projectIds: readonly string[], month: string): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const ids = projectIds.map((projectId) => idOf(projectId, month));
    for (let from = 0; from < ids.length; from += asked) {
      const filter = { _id: { $in: ids.slice(from, from + asked) } };
      for (const { _id, counts } of await this.#collection.find(filter, readLimits()).toArray())
        found.set(projectOf(_id, month), sum(counts));
    }
    return found;
  }

  async #write(operations: AnyBulkWriteOperation<StoredUsage>[]): Promise<void> {
    try {
      await this.#collection.bulkWrite(operations, { ordered: false });
    } catch (error) {
      // Of two that make a document at the same time, one finds that it is there.
      const again = duplicatesIn(error);
      if (again === undefined) throw error;
      await this.#collection.bulkWrite(
        again.map((index) => operations[index] as AnyBulkWriteOperation<StoredUsage>),
        { ordered: false },
      );
    }
  }
}

const idOf = (projectId: string, month: string): string => `${month} ${projectId}`;
const projectOf = (id: string, month: string): string => id.slice(month.length + 1);

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, each) => total + each, 0);

/** The highest wins, so that a write whose answer was lost may be repeated. */
const operation = (
  writer: string,
  { projectId, month, messages }: MessageCount,
): AnyBulkWriteOperation<StoredUsage> => ({
  updateOne: {
    filter: { _id: idOf(projectId, month) },
    update: { $max: { [`counts.${writer}`]: messages } },
    upsert: true,
  },
});
