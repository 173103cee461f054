import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Place } from '../../wire/protocol/position.js';
import { findAll } from '../mongo/collections.js';
import { durably, readLimits } from '../mongo/connection.js';
import { duplicatesIn } from '../mongo/errors.js';
import { never, type HistoryCollections, type TopicDocument } from './historyDocuments.js';
import { isUpTo } from './intake.js';
import { ownedTopic, ownersOf, type OwnedTopic } from './keptTopics.js';
import { expiryOf, lastBeyond } from './removal.js';

/** Another process has changed the same documents meanwhile. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

/** A topic of which nothing is known, and which is not stored. */
export const newTopic = (_id: string, topic: OwnedTopic): TopicDocument => ({
  ...{ _id, version: 0, owners: ownersOf(topic) },
  ...ownedTopic(topic),
  ...{ seconds: 0, messages: 0, first: 1, last: 0 },
  ...{ newest: null, oldest: null, removedTo: null, deletedTo: null, dueAt: never },
});

/** So many beyond the bound are removed together. */
const removedTogether = 100;
const longestWaitMs = 3_600_000;

/** When something of a topic is to be removed: a little later than it could be, so that it need not be looked at all the time. */
export const dueOf = (topic: TopicDocument): number => {
  if (topic.oldest === null) return never;
  const removable = removableOf(topic);
  if (isUpTo(topic.oldest.place, removable.deletedTo)) return 0;
  if (topic.oldest.ordinal + removedTogether <= lastBeyond(removable) + 1) return 0;
  return expiryOf(topic.oldest.latestAt, topic) + Math.min(topic.seconds * 100, longestWaitMs);
};

export const removableOf = ({ newest, deletedTo, seconds, messages }: TopicDocument) => ({
  ...{ newest: newest ?? undefined, deletedTo: deletedTo ?? undefined, seconds, messages },
});

/** A document that is written only where its version is still the one that was read; 0 for one that must not be there. */
export interface VersionedWrite<T> {
  readonly document: T & { readonly _id: string; readonly version: number };
  readonly expected: number;
  readonly bytes: number;
}

const writesAtOnce = 1_000;
/** Written well within the time that the driver waits for an answer. */
const bytesAtOnce = 4 * 1024 * 1024;

/** Rejects with `Conflict` where one of them was not written. */
export const writeAll = async <T extends { readonly _id: string; readonly version: number }>(
  collection: Collection<T>,
  writes: readonly VersionedWrite<T>[],
): Promise<void> => {
  let pending: VersionedWrite<T>[] = [];
  let bytes = 0;
  for (const write of writes) {
    if (pending.length === writesAtOnce || (bytes > 0 && bytes + write.bytes > bytesAtOnce)) {
      await writeBulk(collection, pending);
      [pending, bytes] = [[], 0];
    }
    pending.push(write);
    bytes += write.bytes;
  }
  if (pending.length > 0) await writeBulk(collection, pending);
};

const writeBulk = async <T extends { readonly _id: string; readonly version: number }>(
  collection: Collection<T>,
  writes: readonly VersionedWrite<T>[],
): Promise<void> => {
  const operations = writes.map(({ document, expected }) => {
    if (expected === 0) return { insertOne: { document } };
    const { _id, ...replacement } = document;
    return { replaceOne: { filter: { _id, version: expected }, replacement } };
  }) as unknown as AnyBulkWriteOperation<T>[];
  try {
    const done = await collection.bulkWrite(operations, { ordered: false, ...durably });
    if (done.matchedCount + done.insertedCount < operations.length) throw new Conflict();
  } catch (error) {
    throw duplicatesIn(error) === undefined ? error : new Conflict();
  }
};

/** Rejects with `Conflict`; returns what is stored then. */
export const writeTopic = async (
  topics: HistoryCollections['topics'],
  topic: TopicDocument,
): Promise<TopicDocument> => {
  const document = { ...topic, version: topic.version + 1 };
  await writeAll(topics, [{ document, expected: topic.version, bytes: 0 }]);
  return document;
};

/** Of these owners those that were removed. */
export const removedAmong = async (
  removed: HistoryCollections['removed'],
  owners: readonly string[],
): Promise<ReadonlySet<string>> => {
  const found = new Set<string>();
  if (owners.length === 0) return found;
  for await (const { _id } of findAll(removed, [...new Set(owners)])) found.add(_id);
  return found;
};

/** Everything of the topic up to a place is deleted from then on. Returns it, undefined where its owner was removed. */
export const markDeleted = async (
  { topics, removed }: HistoryCollections,
  key: string,
  topic: OwnedTopic,
  to: Place,
): Promise<TopicDocument | undefined> => {
  for (;;) {
    const found = await topics.findOne({ _id: key }, readLimits());
    if (found === null && (await removedAmong(removed, ownersOf(topic))).size > 0) return undefined;
    const before = found ?? newTopic(key, topic);
    if (before.deletedTo !== null && isUpTo(to, before.deletedTo)) return before;
    try {
      return await writeTopic(topics, { ...before, deletedTo: to, dueAt: 0 });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
};
