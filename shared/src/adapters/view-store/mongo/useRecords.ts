import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { LastUse } from '../../../ports/viewStore.js';
import { readLimits } from './clientSettings.js';
import { duplicatesIn } from './engineErrors.js';

export interface StoredUse {
  readonly _id: string;
  /** ISO 8601 in one form, so that the order of the text is that of the times. */
  readonly at: string;
}

/** Identifiers in one query. */
const asked = 5_000;
/** Of a bulk write; the driver splits it no further, and a request stays well below what a server takes. */
const written = 1_000;

/** The last uses, a document for each record that has one. */
export class UseRecords {
  readonly #collection: Collection<StoredUse>;

  constructor(collection: Collection<StoredUse>) {
    this.#collection = collection;
  }

  async note(uses: readonly LastUse[]): Promise<void> {
    for (let from = 0; from < uses.length; from += written)
      await this.#write(uses.slice(from, from + written).map(operation));
  }

  async of(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (let from = 0; from < ids.length; from += asked) {
      const filter = { _id: { $in: ids.slice(from, from + asked) } };
      for (const { _id, at } of await this.#collection.find(filter, readLimits()).toArray())
        found.set(_id, at);
    }
    return found;
  }

  async #write(operations: AnyBulkWriteOperation<StoredUse>[]): Promise<void> {
    try {
      await this.#collection.bulkWrite(operations, { ordered: false });
    } catch (error) {
      // Of two that make a document at the same time, one finds that it is there.
      const again = duplicatesIn(error);
      if (again === undefined) throw error;
      await this.#collection.bulkWrite(
        again.map((index) => operations[index] as AnyBulkWriteOperation<StoredUse>),
        { ordered: false },
      );
    }
  }
}

const operation = ({ id, at }: LastUse): AnyBulkWriteOperation<StoredUse> => ({
  updateOne: { filter: { _id: id }, update: { $max: { at } }, upsert: true },
});
