import type { AnyBulkWriteOperation, Collection, UpdateFilter } from 'mongodb';
import { atOnce } from '../../../runtime/atOnce.js';
import { duplicatesIn } from '../../mongo/errors.js';
import { isPut, type DocumentWrite, type Fields, type PlannedWrite } from './writePlan.js';
import { encodeFields, type StoredDocument } from './storedDocument.js';

type Operation = AnyBulkWriteOperation<StoredDocument>;
/** Small enough to finish within the socket's time-out on a slow server. */
const bulkSize = 250;
/** While the server writes one bulk, the next one is encoded. */
const bulksAtOnce = 2;
/** This many new documents in one batch indicate a catch-up, where hardly any of them exist already. */
const catchUpSize = 20;
/** Concurrent removals, most of which find one or two documents. */
const removalsAtOnce = 8;

/**
 * Writes documents in one term. A document that a later term has written is left alone, so that writes still in flight when a
 * projector loses the lead, or after a time-out, cannot undo newer ones.
 */
export class DocumentWriter {
  private readonly collection: Collection<StoredDocument>;
  private readonly term: number;

  constructor(collection: Collection<StoredDocument>, term: number) {
    this.collection = collection;
    this.term = term;
  }

  async write(writes: readonly PlannedWrite[]): Promise<void> {
    for (const together of runs(writes)) await atOnce(removalsAtOnce, together, (write) => this.make(write));
  }

  /** Removes documents that were found by a field. Their tombstones are without it, so that a later query does not look at them. */
  async removeFound(field: string, ids: readonly string[]): Promise<void> {
    const update = { ...this.update('remove'), $unset: { [field]: true as const } };
    await this.collection.bulkWrite(
      ids.map((id) => ({ updateOne: { filter: this.mine(id), update } })),
      { ordered: false },
    );
  }

  private async make(write: PlannedWrite): Promise<void> {
    if ('documents' in write) await this.writeDocuments([...write.documents]);
    else await this.writeWhere(write.where, this.update(write.write));
  }

  private async writeDocuments(
    writes: readonly (readonly [id: string, write: DocumentWrite])[],
  ): Promise<void> {
    const mostlyNew = writes.filter(([, write]) => isPut(write)).length >= catchUpSize;
    await atOnce(bulksAtOnce, slices(writes), (bulk) => this.writeBulk(bulk, mostlyNew));
  }

  /** An insert is faster than a replacement; documents that turn out to exist are then replaced. */
  private async writeBulk(
    writes: readonly (readonly [id: string, write: DocumentWrite])[],
    mostlyNew: boolean,
  ): Promise<void> {
    const operations = writes.map(([id, write]): Operation => {
      if (!isPut(write)) return this.change(id, write);
      return mostlyNew
        ? { insertOne: { document: this.stored(id, write.put) } }
        : this.replace(id, write.put);
    });
    const met = await this.send(operations);
    // A document of a later term conflicts again and is left alone: moving the checkpoint then fails.
    if (met.length > 0)
      await this.send(writes.flatMap(([id, write], n) => this.again(met.includes(n), id, write)));
  }

  private again(isMet: boolean, id: string, write: DocumentWrite): Operation[] {
    if (!isMet) return [];
    return [isPut(write) ? this.replace(id, write.put) : this.change(id, write)];
  }

  /** Indexes of the operations that found an unexpected document. */
  private async send(operations: readonly Operation[]): Promise<readonly number[]> {
    try {
      await this.collection.bulkWrite(operations, { ordered: false });
      return [];
    } catch (error) {
      const duplicates = duplicatesIn(error);
      if (duplicates === undefined) throw error;
      return duplicates;
    }
  }

  /**
   * In bulks: the duration of a single request would grow with the number of documents. By identifier, for which every engine
   * has an index.
   */
  private async writeWhere(where: Fields, update: UpdateFilter<StoredDocument>): Promise<void> {
    let ids: string[] = [];
    const write = async (): Promise<void> => {
      const bulk = ids.map((id) => ({ updateOne: { filter: this.mine(id), update } }));
      ids = [];
      await this.collection.bulkWrite(bulk, { ordered: false });
    };
    for await (const id of idsWhere(this.collection, where)) if (ids.push(id) === bulkSize) await write();
    if (ids.length > 0) await write();
  }

  private replace(id: string, document: Fields): Operation {
    return { replaceOne: { filter: this.mine(id), replacement: this.stored(id, document), upsert: true } };
  }

  /** A removal leaves a tombstone even where there is no document: a put of an earlier term may still be in flight. */
  private change(id: string, write: Exclude<DocumentWrite, { put: Fields }>): Operation {
    return {
      updateOne: { filter: this.mine(id), update: this.update(write), upsert: write === 'remove' },
    };
  }

  private update(write: Exclude<DocumentWrite, { put: Fields }>): UpdateFilter<StoredDocument> {
    return write === 'remove'
      ? { $set: { _term: this.term }, $currentDate: { _removedAt: true } }
      : { $set: { ...encodeFields(write.set), _term: this.term } };
  }

  private mine(id: string) {
    return { _id: id, _term: { $lte: this.term } };
  }

  private stored(id: string, document: Fields): StoredDocument {
    return { ...encodeFields(document), _id: id, _term: this.term };
  }
}

/** Reads all identifiers with one query: a query for each bulk would scan all matches each time. */
export async function* idsWhere(
  collection: Collection<StoredDocument>,
  where: Fields,
): AsyncGenerator<string, void, undefined> {
  for await (const { _id } of collection.find(where, { projection: { _id: 1 }, batchSize: 1_000 })) yield _id;
}

/** Consecutive removals run together, because they do not depend on one another. */
function* runs(writes: readonly PlannedWrite[]): Generator<readonly PlannedWrite[]> {
  let removals: PlannedWrite[] = [];
  for (const write of writes) {
    if ('where' in write && write.write === 'remove') {
      removals.push(write);
      continue;
    }
    yield removals;
    removals = [];
    yield [write];
  }
  yield removals;
}

function* slices<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += bulkSize) yield items.slice(from, from + bulkSize);
}
