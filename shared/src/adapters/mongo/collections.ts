import type {
  AnyBulkWriteOperation,
  Collection,
  CreateIndexesOptions,
  DeleteOptions,
  Document,
  Filter,
  WithId,
} from 'mongodb';
import { readLimits } from './connection.js';
import { duplicatesIn, isDuplicateKey, isNotImplemented, isUnauthorized } from './errors.js';

/** Identifiers in one query. */
const idsPerQuery = 5_000;
/** The driver does not split such a batch further, and a request stays well below the server's limit. */
const operationsPerBulk = 1_000;

/** Upserts, which may be repeated, in several bulks. */
export const upsertAll = async <T extends Document>(
  collection: Collection<T>,
  operations: readonly AnyBulkWriteOperation<T>[],
): Promise<void> => {
  for (let from = 0; from < operations.length; from += operationsPerBulk)
    await upsert(collection, operations.slice(from, from + operationsPerBulk));
};

const upsert = async <T extends Document>(
  collection: Collection<T>,
  operations: readonly AnyBulkWriteOperation<T>[],
): Promise<void> => {
  try {
    await collection.bulkWrite(operations, { ordered: false });
  } catch (error) {
    // When two writers insert the same document concurrently, one gets a duplicate key error.
    const again = duplicatesIn(error);
    if (again === undefined) throw error;
    await collection.bulkWrite(
      again.map((index) => operations[index] as AnyBulkWriteOperation<T>),
      { ordered: false },
    );
  }
};

/** Of two that make a document at the same time, one finds that it is there. */
export const retryingDuplicates = <T>(write: () => Promise<T>): Promise<T> =>
  write().catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
    return write();
  });

/** The documents with these identifiers, in several queries. */
export async function* findAll<T extends { readonly _id: string }>(
  collection: Collection<T>,
  ids: readonly string[],
): AsyncGenerator<WithId<T>> {
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    const filter = { _id: { $in: ids.slice(from, from + idsPerQuery) } } as Filter<T>;
    yield* await collection.find(filter, readLimits()).toArray();
  }
}

/** Documents in one deletion: it must end before the time limit of a request, however many there are in all. */
const documentsPerDeletion = 1_000;

/**
 * Removes what `find` gives, up to so many at a time, until it gives fewer; resolves with how many were removed. `remove` gets what
 * was found, and may find some of it removed by others.
 */
export const removeInSteps = async <T>(
  find: (limit: number) => Promise<readonly T[]>,
  remove: (found: readonly T[]) => Promise<number>,
): Promise<number> => {
  for (let removed = 0; ;) {
    const found = await find(documentsPerDeletion);
    if (found.length > 0) removed += await remove(found);
    if (found.length < documentsPerDeletion) return removed;
  }
};

/** Removes the documents that match, however many they are; resolves with their number. */
export const removeAll = <T extends { readonly _id: string }>(
  collection: Collection<T>,
  filter: Filter<T>,
  options: DeleteOptions = {},
): Promise<number> =>
  removeInSteps(
    (limit) => collection.find(filter, { projection: { _id: 1 }, limit, ...readLimits() }).toArray(),
    async (found) => {
      const byId = { _id: { $in: found.map(({ _id }) => _id) } } as Filter<T>;
      return (await collection.deleteMany(byId, options)).deletedCount;
    },
  );

/**
 * For who writes the collection. A service that only reads it opens it in the same way, and where its user may not make
 * indexes leaves them to the other.
 */
export const makeIndex = async <T extends object>(
  collection: Collection<T>,
  fields: Readonly<Record<string, 1 | -1>>,
  options: CreateIndexesOptions = {},
): Promise<void> => {
  await collection.createIndex(fields, options).catch((error: unknown) => {
    if (!isUnauthorized(error)) throw error;
  });
};

/** Has the server remove documents this long after the time in the field. */
export const expireAfter = async <T extends object>(
  collection: Collection<T>,
  field: string,
  expireAfterSeconds: number,
): Promise<void> => {
  await makeIndex(collection, { [field]: 1 }, { expireAfterSeconds, sparse: true }).catch(
    (error: unknown) => {
      // Such a server keeps expired documents, which only costs space.
      if (!isNotImplemented(error)) throw error;
    },
  );
};
