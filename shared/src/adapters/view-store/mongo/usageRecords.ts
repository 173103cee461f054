import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { MessageCount } from '../../../ports/viewStore.js';
import { findAll, upsertAll } from './bulkAccess.js';

/** The month and the project. */
export interface StoredUsage {
  readonly _id: string;
  /** By writer. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Accepted publishes: a document for each project and month, with a count for each writer. */
export class UsageRecords {
  readonly #collection: Collection<StoredUsage>;

  constructor(collection: Collection<StoredUsage>) {
    this.#collection = collection;
  }

  async note(writer: string, counts: readonly MessageCount[]): Promise<void> {
    await upsertAll(
      this.#collection,
      counts.map((count) => operation(writer, count)),
    );
  }

  async of(projectIds: readonly string[], month: string): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const ids = projectIds.map((projectId) => idOf(projectId, month));
    for await (const { _id, counts } of findAll(this.#collection, ids))
      found.set(projectOf(_id, month), sum(counts));
    return found;
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
