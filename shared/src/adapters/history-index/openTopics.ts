import { findAll } from '../mongo/collections.js';
import { durably, readLimits } from '../mongo/connection.js';
import { liveMessages, type KeptMeta, type LiveMessage } from '../../wire/bus/liveMessage.js';
import {
  bucketId,
  bucketNumber,
  bytesOf,
  readBucket,
  standing,
  type Bucket,
  type BucketDocument,
  type HistoryCollections,
  type TopicDocument,
} from './historyDocuments.js';
import { laterOf } from './intake.js';
import { ownersOf, topicOf } from './keptTopics.js';
import { RecentIds } from './recentIds.js';
import { removeBehind } from './bucketRemoval.js';
import { newTopic, removedAmong } from './topicDocuments.js';

const bucketsPerQuery = 40;

/** A topic that is appended to. */
export interface OpenTopic {
  topic: TopicDocument;
  /** As it is stored, or is to be written next; undefined where the next message begins one. */
  open: Bucket | undefined;
  /** The number of the last bucket that there is, which the topic may not know of yet. */
  last: number;
  /** Of the last bucket, of some messages before it, and of what came since. */
  readonly ids: RecentIds;
  /** Whether the topic itself must be written: it does not know of its last bucket, or there is more. */
  isChanged: boolean;
}

/** A message of a topic, which says what the topic is where nothing is stored of it. */
export interface TopicSample {
  readonly message: LiveMessage;
  readonly kept: KeptMeta;
}

export const weightOf = ({ open, ids }: OpenTopic): number =>
  1_000 + 100 * ids.size + (open === undefined ? 0 : bytesOf(open.messages));

/**
 * Reads topics and their last buckets. Buckets behind the last one that a topic knows of were written by an append that had no time to tell
 * it: they are its last ones. Undefined for a topic whose owner was removed.
 */
export const readTopics = async (
  collections: HistoryCollections,
  samples: ReadonlyMap<string, TopicSample>,
): Promise<ReadonlyMap<string, OpenTopic | undefined>> => {
  const topics = new Map<string, TopicDocument>();
  for await (const topic of findAll(collections.topics, [...samples.keys()])) topics.set(topic._id, topic);
  const lastKnown = new Map([...samples.keys()].map((key) => [key, topics.get(key)?.last ?? 0] as const));
  const buckets = await readLastBuckets(collections, lastKnown);
  const unknown = [...samples].filter(([key]) => !topics.has(key));
  const described = unknown.map(([key, { message, kept }]) => [key, topicOf(message, kept)] as const);
  const owners = described.flatMap(([, topic]) => ownersOf(topic));
  const removed = await removedAmong(collections.removed, owners);
  for (const [key, topic] of described)
    if (!ownersOf(topic).some((owner) => removed.has(owner))) topics.set(key, newTopic(key, topic));
    else if (buckets.get(key)?.length) await removeBehind(collections.buckets, key, 0);
  return new Map(
    [...samples].map(([key, sample]) => {
      const topic = topics.get(key);
      return [key, topic && openTopic(topic, sample, buckets.get(key) ?? [])];
    }),
  );
};

/** Of each topic the last one that it knows of, and all behind; ascending. */
const readLastBuckets = async (
  { buckets }: HistoryCollections,
  lastKnown: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, readonly Bucket[]>> => {
  const found = new Map<string, Bucket[]>();
  let ids = [...lastKnown].flatMap(([key, last]) =>
    [last, last + 1].filter((number) => number > 0).map((number) => bucketId(key, number)),
  );
  while (ids.length > 0) {
    const behind: string[] = [];
    for await (const document of readInTurn(buckets, ids)) {
      const key = document._id.slice(0, document._id.lastIndexOf(':'));
      const bucket = readBucket(document);
      found.set(key, [...(found.get(key) ?? []), bucket]);
      if (bucket.number > (lastKnown.get(key) ?? 0)) behind.push(bucketId(key, bucket.number + 1));
    }
    ids = behind;
  }
  for (const each of found.values()) each.sort((one, other) => one.number - other.number);
  return found;
};

/** In several queries, each of which must be answered in time. */
async function* readInTurn(
  buckets: HistoryCollections['buckets'],
  ids: readonly string[],
): AsyncGenerator<BucketDocument> {
  for (let from = 0; from < ids.length; from += bucketsPerQuery) {
    const filter = { _id: { $in: ids.slice(from, from + bucketsPerQuery) } };
    yield* await buckets.find(filter, readLimits()).toArray();
  }
}

const openTopic = (
  found: TopicDocument,
  { kept: { seconds, messages: most } }: TopicSample,
  buckets: readonly Bucket[],
): OpenTopic => {
  const last = buckets.at(-1);
  const messages = buckets.flatMap((bucket) => bucket.messages);
  const [oldest, newest] = [messages[0], messages.at(-1)];
  const bounds = found.messages === 0 ? { seconds, messages: most } : {};
  const topic = { ...found, ...bounds, oldest: found.oldest ?? (oldest ? standing(oldest) : null) };
  const isNewer = newest !== undefined && laterOf(topic.newest?.place, newest.place) !== topic.newest?.place;
  return {
    topic: isNewer ? { ...topic, newest: standing(newest) } : topic,
    open: last?.isFull === true ? undefined : last,
    last: Math.max(topic.last, last?.number ?? 0),
    ids: new RecentIds([
      ...(buckets[0]?.before ?? []),
      ...messages.map(({ encoded }) => liveMessages.codec.decode(encoded).id),
    ]),
    isChanged: isNewer || (last?.number ?? 0) > topic.last,
  };
};

/** Removes buckets that were made for topics which, as it turned out, had gone on without them, or were removed. */
export const removeStray = async (
  { buckets }: HistoryCollections,
  made: Iterable<string>,
  read: ReadonlyMap<string, OpenTopic | undefined>,
): Promise<void> => {
  const stray = [...made].filter((id) => {
    const key = id.slice(0, id.lastIndexOf(':'));
    const open = read.get(key);
    return read.has(key) && (open === undefined || bucketNumber(id) < open.topic.first);
  });
  if (stray.length > 0) await buckets.deleteMany({ _id: { $in: stray } }, durably);
};
