import type { WithId } from 'mongodb';
import { durably, readLimits } from '../mongo/connection.js';
import {
  bucketDocument,
  bucketId,
  bucketIds,
  bucketNumber,
  bytesOf,
  readBucket,
  spanOnly,
  withIds,
  standing,
  type Bucket,
  type BucketSpan,
  type HistoryCollections,
  type StoredMessage,
  type TopicDocument,
} from './historyDocuments.js';
import { isUpTo, laterOf, type Standing } from './intake.js';
import { isRemovable } from './removal.js';
import { Conflict, dueOf, removableOf, writeAll, writeTopic } from './topicDocuments.js';

/** Buckets that are looked at in one step. */
const step = 50;

export interface RemovalStep {
  readonly removed: number;
  /** Whether there is more to remove. */
  readonly isMore: boolean;
}

/**
 * Removes from the oldest message on some of what has expired, is beyond the bounds or was deleted. The topic says so before it is done: whoever
 * finds something missing knows that it is. Rejects with `Conflict` where the topic is changed meanwhile; it is then still due.
 */
export const removeSome = async (
  collections: HistoryCollections,
  topic: TopicDocument,
  now: number,
): Promise<RemovalStep> => {
  const { topics, buckets } = collections;
  const { _id: key, first, last } = topic;
  const isToRemove = (message: Standing) => isRemovable(message, removableOf(topic), now);
  const spans = await readSpans(buckets, key, first, Math.min(first + step - 1, last));
  const whole = spans.filter(({ to }) => isToRemove(to));
  const next = spans[whole.length];
  const shortened = next && isToRemove(next.from) ? await shorten(buckets, next, isToRemove) : undefined;
  const removedTo = shortened?.last ?? whole.at(-1)?.to;
  let current = topic;
  if (removedTo !== undefined)
    current = await writeTopic(topics, { ...topic, removedTo: removedToOf(topic, removedTo), dueAt: 0 });
  await removeBuckets(buckets, whole, last, key);
  if (shortened) await writeBucket(buckets, key, shortened.left);
  const from = next === undefined ? Math.min(first + step - 1, last) + 1 : bucketNumber(next._id);
  const oldest = shortened?.left.messages[0] ?? next?.from;
  const after = { ...current, first: Math.max(from, first), oldest: oldest ? standing(oldest) : null };
  const isMore = next === undefined && from <= last;
  await writeTopic(topics, { ...after, dueAt: isMore ? 0 : dueOf(after) });
  const removed = whole.reduce((sum, { count }) => sum + count, shortened?.count ?? 0);
  return { removed, isMore };
};

/** What was deleted is not missing because it has expired. */
const removedToOf = ({ removedTo, deletedTo }: TopicDocument, { place }: Standing) =>
  isUpTo(place, deletedTo ?? undefined) ? removedTo : laterOf(removedTo ?? undefined, place);

const readSpans = async (
  buckets: HistoryCollections['buckets'],
  key: string,
  from: number,
  to: number,
): Promise<readonly BucketSpan[]> => {
  const options = { ...spanOnly, ...readLimits() };
  const found = await buckets.find<BucketSpan>(withIds(bucketIds(key, from, to)), options).toArray();
  return found.sort((one, other) => bucketNumber(one._id) - bucketNumber(other._id));
};

interface Shortened {
  readonly left: Bucket;
  readonly count: number;
  /** The last one that is not in it any more. */
  readonly last: StoredMessage;
}

const shorten = async (
  buckets: HistoryCollections['buckets'],
  { _id, version }: BucketSpan,
  isToRemove: (message: Standing) => boolean,
): Promise<Shortened> => {
  const found = await buckets.findOne({ _id, version }, readLimits());
  if (found === null) throw new Conflict();
  const bucket = readBucket(found);
  const left = bucket.messages.filter((message) => !isToRemove(message));
  const count = bucket.messages.length - left.length;
  return { left: { ...bucket, messages: left }, count, last: bucket.messages[count - 1] as StoredMessage };
};

const writeBucket = (buckets: HistoryCollections['buckets'], key: string, bucket: Bucket): Promise<void> => {
  const document = bucketDocument(key, bucket, bucket.version + 1);
  return writeAll(buckets, [{ document, expected: bucket.version, bytes: bytesOf(bucket.messages) }]);
};

/** Nobody adds to any but the last. */
const removeBuckets = async (
  buckets: HistoryCollections['buckets'],
  spans: readonly Pick<BucketSpan, '_id' | 'version'>[],
  last: number,
  key: string,
): Promise<void> => {
  const lastId = bucketId(key, last);
  const ids = spans.map(({ _id }) => _id).filter((_id) => _id !== lastId);
  if (ids.length > 0) await buckets.deleteMany(withIds(ids), durably);
  const open = spans.find(({ _id }) => _id === lastId);
  if (open === undefined) return;
  const { deletedCount } = await buckets.deleteOne({ _id: lastId, version: open.version }, durably);
  if (deletedCount === 0) throw new Conflict();
};

const everything = { epoch: Number.MAX_SAFE_INTEGER, offset: Number.MAX_SAFE_INTEGER };

/** Removes a topic whose owner was removed. Whoever appends to it meanwhile finds that it is deleted, and then that its owner is. */
export const removeTopic = async (
  { topics, buckets }: HistoryCollections,
  { _id }: Pick<WithId<TopicDocument>, '_id'>,
): Promise<void> => {
  const mark = { $set: { deletedTo: everything }, $inc: { version: 1 } };
  const found = await topics.findOneAndUpdate({ _id }, mark, { returnDocument: 'after', ...durably });
  if (found === null) return;
  for (let from = found.first; from <= found.last; from += step)
    await buckets.deleteMany(withIds(bucketIds(_id, from, Math.min(from + step - 1, found.last))), durably);
  await removeBehind(buckets, _id, found.last);
  await topics.deleteOne({ _id }, durably);
};

/** Buckets that an append had made before the topic was to know of them. */
export const removeBehind = async (
  buckets: HistoryCollections['buckets'],
  key: string,
  last: number,
): Promise<void> => {
  for (let number = last + 1; ; number += 1) {
    const { deletedCount } = await buckets.deleteOne({ _id: bucketId(key, number) }, durably);
    if (deletedCount === 0) return;
  }
};
