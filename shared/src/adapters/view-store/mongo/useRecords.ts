import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { LastUse } from '../../../ports/viewStore.js';
import { findAll, upsertAll } from './bulkAccess.js';

export interface StoredUse {
  readonly _id: string;
  /** ISO 8601 in one form, so that the order of the text is that of the times. */
  readonly at: string;
}

/** The last uses, a document for each record that has one. */
export class UseRecords {
  readonly #collection: Collection<StoredUse>;

  constructor(collection: Collection<StoredUse>) {
    this.#collection = collection;
  }

  async note(uses: readonly LastUse[]): Promise<void> {
    await upsertAll(this.#collection, uses.map(operation));
  }

  async of(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for await (const { _id, at } of findAll(this.#collection, ids)) found.set(_id, at);
    return found;
  }
}

const operation = ({ id, at }: LastUse): AnyBulkWriteOperation<StoredUse> => ({
  updateOne: { filter: { _id: id }, update: { $max: { at } }, upsert: true },
});
