import type { AnyBulkWriteOperation, Collection, UpdateFilter } from 'mongodb';
import { duplicatesIn } from '../../mongo/errors.js';
import { isPut, type DocumentWrite, type Fields, type PlannedWrite } from './writePlan.js';
import { encodeFields, type StoredDocument } from './storedDocument.js';

type Operation = AnyBulkWriteOperation<StoredDocument>;
/** A request of this many must be done within the socket's time-out on a slow server too. */
const bulkSize = 250;
/** While the server is at one, the next one is encoded. */
const bulksAtOnce = 2;
/** So many new documents in one go are a catch-up, where hardly any is there already. */
const catchUpSize = 20;
/** Questions for what is to be removed, most of which find a document or two. */
const removalsAtOnce = 8;

/**
 * Writes documents in one term. Each is only touched while no later term has written it, so that what a projector has
 * under way when it loses the lead (or a server still does when nobody waits for it any more) cannot undo newer work.
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

  /** An insert is quicker than a replacement; what turns out to be there is replaced after all. */
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
    // A document of a later term is met again, and left alone: the checkpoint will tell.
    if (met.length > 0)
      await this.send(writes.flatMap(([id, write], n) => this.again(met.includes(n), id, write)));
  }

  private again(isMet: boolean, id: string, write: DocumentWrite): Operation[] {
    if (!isMet) return [];
    return [isPut(write) ? this.replace(id, write.put) : this.change(id, write)];
  }

  /** Indexes of those that met a document where they expected none. */
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
   * One bulk after the other, like everything else: a single request for all would take as long as there are documents.
   * By identifier, which every engine has an index for, whatever else is in the filter or beside it.
   */
  private async writeWhere(where: Fields, update: UpdateFilter<StoredDocument>): Promise<void> {
    for await (const ids of this.idsWhere(where))
      await this.collection.bulkWrite(
        ids.map((id) => ({ updateOne: { filter: this.mine(id), update } })),
        { ordered: false },
      );
  }

  /** Read once from the first to the last: to look for what follows would be to look at all of them for each bulk. */
  private async *idsWhere(where: Fields): AsyncGenerator<readonly string[]> {
    let ids: string[] = [];
    for await (const { _id } of this.collection.find(where, { projection: { _id: 1 }, batchSize: 1_000 })) {
      ids.push(_id);
      if (ids.length < bulkSize) continue;
      yield ids;
      ids = [];
    }
    if (ids.length > 0) yield ids;
  }

  private replace(id: string, document: Fields): Operation {
    return { replaceOne: { filter: this.mine(id), replacement: this.stored(id, document), upsert: true } };
  }

  /** What is removed leaves a mark, be it there or not: what was put in an earlier term may still be on its way. */
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

/** Waits for all of them, and then fails as the first that failed: nothing goes on behind the caller's back. */
export const allOf = async (writes: readonly Promise<void>[]): Promise<void> => {
  await Promise.allSettled(writes);
  await Promise.all(writes);
};

/** So many at a time. After a failure no other one is begun. */
const atOnce = async <T>(
  limit: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const left = items[Symbol.iterator]();
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    for (let next; !hasFailed && (next = left.next()).done !== true;)
      await work(next.value).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
  };
  await allOf(Array.from({ length: limit }, lane));
};

/** Removals that follow each other may be made together, as none of them sees what another one does. */
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
