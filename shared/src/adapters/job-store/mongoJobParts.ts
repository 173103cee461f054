import { Binary, type AnyBulkWriteOperation, type Collection } from 'mongodb';
import { durably } from '../mongo/connection.js';
import { duplicatesIn } from '../mongo/errors.js';
import { partId, type PartDocument } from './jobDocuments.js';

/** A bucket or a chunk as it is to be written. */
export interface JobPart {
  readonly number: number;
  readonly content: Uint8Array;
}

/** Somebody with a higher term has written one of the parts. */
export class PartRefused extends Error {
  override readonly name = 'PartRefused';
}

interface GroupInTerm {
  readonly groupId: string;
  readonly term: number;
}

const partsAtOnce = 500;
/** Written well within the time that the driver waits for an answer. */
const bytesAtOnce = 4 * 1024 * 1024;

/** Writes over those of earlier terms; rejects with `PartRefused` where there is one of a later. */
export const putParts = async (
  collection: Collection<PartDocument>,
  { groupId, term }: GroupInTerm,
  parts: readonly JobPart[],
): Promise<void> => {
  for (let from = 0, to = 0, bytes = 0; from < parts.length; from = to, bytes = 0) {
    for (; to < parts.length && to - from < partsAtOnce && bytes < bytesAtOnce; to += 1)
      bytes += parts[to]?.content.length ?? 0;
    const operations = parts.slice(from, to).map(({ number, content }) => ({
      replaceOne: {
        filter: { _id: partId(groupId, number), term: { $lte: term } },
        replacement: { groupId, term, content: new Binary(content) },
        upsert: true,
      },
    }));
    await putAll(collection, operations);
  }
};

const putAll = async (
  collection: Collection<PartDocument>,
  operations: readonly AnyBulkWriteOperation<PartDocument>[],
  isAgain = false,
): Promise<void> => {
  try {
    await collection.bulkWrite(operations, { ordered: false, ...durably });
  } catch (error) {
    const refused = duplicatesIn(error);
    if (refused === undefined) throw error;
    if (isAgain) throw new PartRefused('A part of a group with jobs has a later term');
    // Of two that make one at the same time, the one of the higher term may have been refused.
    const again = refused.flatMap((index) => operations[index] ?? []);
    await putAll(collection, again, true);
  }
};

/** Whatever owners of earlier terms still write of these parts is refused from then on. */
export const fenceParts = async (
  collection: Collection<PartDocument>,
  term: number,
  ids: readonly string[],
): Promise<void> => {
  for (let from = 0; from < ids.length; from += partsAtOnce) {
    const filter = { _id: { $in: ids.slice(from, from + partsAtOnce) }, term: { $lt: term } };
    await collection.updateMany(filter, { $set: { term } }, durably);
  }
};

export const removeParts = async (
  collection: Collection<PartDocument>,
  { groupId, term }: GroupInTerm,
  numbers: readonly number[],
): Promise<void> => {
  for (let from = 0; from < numbers.length; from += partsAtOnce) {
    const operations = numbers
      .slice(from, from + partsAtOnce)
      .map((number) => ({ deleteOne: { filter: { _id: partId(groupId, number), term: { $lte: term } } } }));
    await collection.bulkWrite(operations, { ordered: false });
  }
};
