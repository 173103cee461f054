import type { AnyBulkWriteOperation, Collection, Document, Filter, WithId } from 'mongodb';
import { readLimits } from './clientSettings.js';
import { duplicatesIn } from './engineErrors.js';

/** Identifiers in one query. */
const asked = 5_000;
/** Of a bulk write; the driver splits it no further, and a request stays well below what a server takes. */
const written = 1_000;

/** Writes that may make their documents, and that may be repeated. */
export const upsertAll = async <T extends Document>(
  collection: Collection<T>,
  operations: readonly AnyBulkWriteOperation<T>[],
): Promise<void> => {
  for (let from = 0; from < operations.length; from += written)
    await upsert(collection, operations.slice(from, from + written));
};

const upsert = async <T extends Document>(
  collection: Collection<T>,
  operations: readonly AnyBulkWriteOperation<T>[],
): Promise<void> => {
  try {
    await collection.bulkWrite(operations, { ordered: false });
  } catch (error) {
    // Of two that make a document at the same time, one finds that it is there.
    const again = duplicatesIn(error);
    if (again === undefined) throw error;
    await collection.bulkWrite(
      again.map((index) => operations[index] as AnyBulkWriteOperation<T>),
      { ordered: false },
    );
  }
};

/** The documents with these identifiers, a part after the other. */
export async function* findAll<T extends { readonly _id: string }>(
  collection: Collection<T>,
  ids: readonly string[],
): AsyncGenerator<WithId<T>> {
  for (let from = 0; from < ids.length; from += asked) {
    const filter = { _id: { $in: ids.slice(from, from + asked) } } as Filter<T>;
    yield* await collection.find(filter, readLimits()).toArray();
  }
}
