import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '../../ports/errors.js';
import type { IndexedPartition, IndexedRecord } from '../../ports/historyIndex.js';
import { liveMessages } from '../../wire/bus/liveMessage.js';
import {
  bucketDocument,
  bucketId,
  bytesOf,
  fillsBucket,
  type Bucket,
  type BucketDocument,
  type HistoryCollections,
  type StoredMessage,
} from './historyDocuments.js';
import { isUpTo, standingOf } from './intake.js';
import { topicKeyOf, topicOf } from './keptTopics.js';
import type { MongoPartitions } from './mongoPartitions.js';
import { readTopics, removeStray, weightOf, type OpenTopic, type TopicSample } from './openTopics.js';
import { Conflict, dueOf, writeAll, type VersionedWrite } from './topicDocuments.js';
import { WeightedCache } from './weightedCache.js';

/** Where others change the same topics meanwhile. */
const attempts = 50;
const longestPauseMs = 100;

/** The last bucket of each is in memory meanwhile. */
const topicsAtOnce = 200;

/** Of what is remembered of topics, about. */
const rememberedBytes = 64 * 1024 * 1024;

interface NewRecord extends TopicSample {
  readonly offset: number;
}

/** The records of one append, by topic. */
type Batch = ReadonlyMap<string, readonly NewRecord[]>;

/**
 * Adds messages to topics. A bucket is written only as it was read, and one behind it only when it is full and stored: of
 * two processes that append to a topic one goes first, and the other one reads what it has left. Buckets come before the topics that know of
 * them, and those before the partition, so that an append that was broken off is completed when its records come again.
 */
export class MongoAppends {
  private readonly collections: HistoryCollections;
  private readonly partitions: MongoPartitions;
  private readonly remembered = new WeightedCache<OpenTopic>(rememberedBytes);

  constructor(collections: HistoryCollections, partitions: MongoPartitions) {
    this.collections = collections;
    this.partitions = partitions;
  }

  async append(partition: number, records: readonly IndexedRecord[], to: IndexedPartition): Promise<void> {
    const topics = [...byTopic(records)];
    for (let from = 0; from < topics.length; from += topicsAtOnce)
      await this.add(new Map(topics.slice(from, from + topicsAtOnce)), to.epoch);
    await this.partitions.move(partition, to);
  }

  private async add(batch: Batch, epoch: number): Promise<void> {
    const made = new Set<string>();
    for (let attempt = 1; !(await this.addAll(batch, epoch, made)); attempt += 1) {
      if (attempt === attempts) throw new EngineUnavailable('message history');
      await pause(Math.min(attempt * 5, longestPauseMs));
    }
  }

  /** False where others have changed the same topics meanwhile: what was not written then comes again. `made`: all buckets so far. */
  private async addAll(batch: Batch, epoch: number, made: Set<string>): Promise<boolean> {
    const topics = await this.open(batch, made);
    const written = [...topics].flatMap(([key, topic]) => {
      if (topic === undefined) return [];
      const buckets = fill(topic, epoch, batch.get(key) ?? []);
      return [{ key, topic, buckets }];
    });
    try {
      await this.writeBuckets(written, made);
      await this.writeTopics(written.map(({ topic }) => topic));
    } catch (error) {
      if (error instanceof Conflict) return false;
      throw error;
    }
    for (const { key, topic } of written) this.remembered.put(key, topic, weightOf(topic));
    return true;
  }

  /** None that is used is remembered meanwhile, so that two appends at once do not share it. */
  private async open(batch: Batch, made: ReadonlySet<string>): Promise<Map<string, OpenTopic | undefined>> {
    const topics = new Map<string, OpenTopic | undefined>();
    const unknown = new Map<string, TopicSample>();
    for (const [key, [sample]] of batch) {
      const topic = this.remembered.take(key);
      if (topic !== undefined) topics.set(key, topic);
      else if (sample !== undefined) unknown.set(key, sample);
    }
    if (unknown.size === 0) return topics;
    const read = await readTopics(this.collections, unknown);
    await removeStray(this.collections, made, read);
    return new Map([...topics, ...read]);
  }

  private async writeBuckets(
    written: readonly { readonly key: string; readonly buckets: readonly Bucket[] }[],
    made: Set<string>,
  ): Promise<void> {
    const rounds = Math.max(0, ...written.map(({ buckets }) => buckets.length));
    for (let round = 0; round < rounds; round += 1) {
      const writes = written.flatMap(({ key, buckets }) => {
        const bucket = buckets[round];
        if (bucket?.version === 0) made.add(bucketId(key, bucket.number));
        return bucket === undefined ? [] : [bucketWrite(key, bucket)];
      });
      await writeAll(this.collections.buckets, writes);
    }
  }

  private async writeTopics(topics: readonly OpenTopic[]): Promise<void> {
    const changed = topics.filter(({ isChanged }) => isChanged);
    const writes = changed.map((each) => {
      const { topic, last } = each;
      // What is due stays so until it is done.
      const dueAt = Math.min(topic.dueAt, dueOf(topic));
      const document = { ...topic, last, dueAt, version: topic.version + 1 };
      each.topic = document;
      each.isChanged = false;
      return { document, expected: topic.version, bytes: 1_000 };
    });
    await writeAll(this.collections.topics, writes);
  }
}

const byTopic = (records: readonly IndexedRecord[]): Batch => {
  const batch = new Map<string, NewRecord[]>();
  for (const { offset, message } of records) {
    const { kept } = message;
    if (kept === undefined) continue;
    const key = topicKeyOf(topicOf(message, kept));
    const found = batch.get(key);
    if (found === undefined) batch.set(key, [{ offset, message, kept }]);
    else found.push({ offset, message, kept });
  }
  return batch;
};

/** Ids that a bucket has of messages before its own. */
const idsBefore = 50;

/** Adds what is not there yet; returns the buckets that are to be written, in their order. */
const fill = (open: OpenTopic, epoch: number, records: readonly NewRecord[]): readonly Bucket[] => {
  const buckets: Bucket[] = [];
  let added: StoredMessage[] = [];
  const end = (begun: Bucket): void => {
    const messages = [...begun.messages, ...added];
    const bucket = { ...begun, messages, isFull: fillsBucket(messages) };
    buckets.push(bucket);
    open.last = bucket.number;
    open.open = bucket.isFull ? undefined : { ...bucket, version: bucket.version + 1 };
    added = [];
  };
  for (const { offset, message, kept } of records) {
    const newest = standingOf(open.topic.newest ?? undefined, open.ids, { epoch, offset }, message.id);
    if (newest === undefined) continue;
    const { seconds, messages } = kept;
    open.topic = { ...open.topic, newest, seconds, messages };
    open.isChanged = true;
    if (isUpTo(newest.place, open.topic.deletedTo ?? undefined)) continue;
    open.topic = { ...open.topic, oldest: open.topic.oldest ?? newest };
    open.open ??= newBucket(open);
    open.ids.add(message.id);
    // The encoder does not use its memory again.
    added.push({ ...newest, encoded: liveMessages.codec.encode(message) });
    if (fillsBucket([...open.open.messages, ...added])) end(open.open);
  }
  if (open.open !== undefined && added.length > 0) end(open.open);
  return buckets;
};

const newBucket = ({ last, ids }: OpenTopic): Bucket => ({
  ...{ number: last + 1, version: 0, isFull: false },
  ...{ before: ids.newest(idsBefore), messages: [] },
});

const bucketWrite = (key: string, bucket: Bucket): VersionedWrite<BucketDocument> => ({
  document: bucketDocument(key, bucket, bucket.version + 1),
  expected: bucket.version,
  bytes: bytesOf(bucket.messages),
});
