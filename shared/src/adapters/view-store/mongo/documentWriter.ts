import type { AnyBulkWriteOperation, Collection, UpdateFilter } from 'mongodb';
import { duplicatesIn } from './engineErrors.js';
import type { DocumentWrite, PlannedWrite } from './plannedWrites.js';
import { encodeFields, type StoredDocument } from './storedDocument.js';

type Operation = AnyBulkWriteOperation<StoredDocument>;
type Fields = Readonly<Record<string, unknown>>;

/** A request of this many must be done within the socket's time-out on a slow server too. */
const bulkSize = 250;
/** So many new documents in one go are a catch-up, where hardly any is there already. */
const catchUpSize = 20;

/**
 * Writes documents in one term. Each is only touched while no later term has written it, so that what a projector has
 * under way when it loses the lead (or a server still does when nobody waits for it any more) cannot undo newer work.
 */
export class DocumentWriter {
  readonly #collection: Collection<StoredDocument>;
  readonly #term: number;

  constructor(collection: Collection<StoredDocument>, term: number) {
    this.#collection = collection;
    this.#term = term;
  }

  async write(writes: readonly PlannedWrite[]): Promise<void> {
    for (const write of writes)
      if ('documents' in write) await this.#writeDocuments([...write.documents]);
      else await this.#writeWhere(write.where, this.#update(write.write));
  }

  async #writeDocuments(writes: readonly (readonly [id: string, write: DocumentWrite])[]): Promise<void> {
    const mostlyNew = writes.filter(([, write]) => isPut(write)).length >= catchUpSize;
    for (let from = 0; from < writes.length; from += bulkSize)
      await this.#writeBulk(writes.slice(from, from + bulkSize), mostlyNew);
  }

  /** An insert is quicker than a replacement; what turns out to be there is replaced after all. */
  async #writeBulk(
    writes: readonly (readonly [id: string, write: DocumentWrite])[],
    mostlyNew: boolean,
  ): Promise<void> {
    const operations = writes.map(([id, write]): Operation => {
      if (!isPut(write)) return this.#change(id, write);
      return mostlyNew
        ? { insertOne: { document: this.#stored(id, write.put) } }
        : this.#replace(id, write.put);
    });
    const met = await this.#send(operations);
    // A document of a later term is met again, and left alone: the checkpoint will tell.
    if (met.length > 0)
      await this.#send(writes.flatMap(([id, write], n) => this.#again(met.includes(n), id, write)));
  }

  #again(isMet: boolean, id: string, write: DocumentWrite): Operation[] {
    if (!isMet) return [];
    return [isPut(write) ? this.#replace(id, write.put) : this.#change(id, write)];
  }

  /** Indexes of those that met a document where they expected none. */
  async #send(operations: readonly Operation[]): Promise<readonly number[]> {
    try {
      await this.#collection.bulkWrite(operations, { ordered: false });
      return [];
    } catch (error) {
      const duplicates = duplicatesIn(error);
      if (duplicates === undefined) throw error;
      return duplicates;
    }
  }

  /** One bulk after the other, like everything else: a single request for all would take as long as there are documents. */
  async #writeWhere(where: Fields, update: UpdateFilter<StoredDocument>): Promise<void> {
    let after = '';
    for (let ids; (ids = await this.#idsWhere(where, after)).length > 0; after = ids.at(-1) as string)
      await this.#collection.updateMany({ _id: { $in: ids }, _term: { $lte: this.#term } }, update);
  }

  async #idsWhere(where: Fields, after: string): Promise<string[]> {
    const following = { ...where, _id: { $gt: after } };
    const options = { projection: { _id: 1 }, sort: { _id: 1 }, limit: bulkSize } as const;
    return this.#collection
      .find(following, options)
      .map(({ _id }) => _id)
      .toArray();
  }

  #replace(id: string, document: Fields): Operation {
    return { replaceOne: { filter: this.#mine(id), replacement: this.#stored(id, document), upsert: true } };
  }

  /** What is removed leaves a mark, be it there or not: what was put in an earlier term may still be on its way. */
  #change(id: string, write: Exclude<DocumentWrite, { put: Fields }>): Operation {
    return {
      updateOne: { filter: this.#mine(id), update: this.#update(write), upsert: write === 'remove' },
    };
  }

  #update(write: Exclude<DocumentWrite, { put: Fields }>): UpdateFilter<StoredDocument> {
    return write === 'remove'
      ? { $set: { _term: this.#term }, $currentDate: { _removedAt: true } }
      : { $set: { ...encodeFields(write.set), _term: this.#term } };
  }

  #mine(id: string) {
    return { _id: id, _term: { $lte: this.#term } };
  }

  #stored(id: string, document: Fields): StoredDocument {
    return { ...encodeFields(document), _id: id, _term: this.#term };
  }
}

/** Waits for all of them, and then fails as the first that failed: nothing goes on behind the caller's back. */
export const allOf = async (writes: readonly Promise<void>[]): Promise<void> => {
  await Promise.allSettled(writes);
  await Promise.all(writes);
};

const isPut = (write: DocumentWrite): write is { readonly put: Fields } =>
  typeof write === 'object' && 'put' in write;
