import { Encoder, decode } from '@msgpack/msgpack';
import { Binary, type Collection, type Db } from 'mongodb';
import type { KeptMessage } from '../../ports/history.js';
import { liveMessages } from '../../wire/bus/liveMessage.js';
import type { Place } from '../../wire/protocol/position.js';
import type { Standing } from './intake.js';
import type { OwnedTopic } from './keptTopics.js';

/** All that is known of a topic but its messages, which are in the buckets from `first` to `last`; in none where that is smaller. */
export interface TopicDocument extends OwnedTopic {
  /** The key of the topic. */
  readonly _id: string;
  /** Incremented by every change: a writer that has read an older one changes nothing. */
  readonly version: number;
  /** The ids with which it is removed. */
  readonly owners: readonly string[];
  readonly seconds: number;
  readonly messages: number;
  readonly first: number;
  readonly last: number;
  readonly newest: Standing | null;
  /** The oldest that is stored, or was when they were last looked at. */
  readonly oldest: Standing | null;
  readonly removedTo: Place | null;
  readonly deletedTo: Place | null;
  /** When something may have to be removed. */
  readonly dueAt: number;
}

/** Nothing has to be removed. */
export const never = Number.MAX_SAFE_INTEGER;

/** Some messages of a topic, in their order. */
export interface BucketDocument {
  readonly _id: string;
  readonly version: number;
  readonly from: Standing;
  readonly to: Standing;
  readonly count: number;
  /** Nobody adds to it any more, also when some of it was removed: the next one may be there already. */
  readonly isFull: boolean;
  /** The ids of some messages before these, for second copies of them. */
  readonly before: readonly string[];
  /** MessagePack: a row for each. */
  readonly content: Binary;
}

export type BucketSpan = Omit<BucketDocument, 'content' | 'before'>;

/** A bucket without what is large in it. */
export const spanOnly = { projection: { content: 0, before: 0 } } as const;

export interface PartitionDocument {
  readonly _id: string;
  /** Sorts as the places do. */
  readonly mark: string;
}

/** An owner that was removed. */
export interface RemovedDocument {
  readonly _id: string;
  readonly removedAt: number;
}

export interface HistoryCollections {
  readonly topics: Collection<TopicDocument>;
  readonly buckets: Collection<BucketDocument>;
  readonly partitions: Collection<PartitionDocument>;
  readonly removed: Collection<RemovedDocument>;
}

export const historyCollections = (database: Db): HistoryCollections => ({
  topics: database.collection('historyTopics'),
  buckets: database.collection('historyBuckets'),
  partitions: database.collection('historyPartitions'),
  removed: database.collection('historyRemoved'),
});

/** Found by equality of ids alone, because not every server that speaks MongoDB's protocol finds ranges by an index. */
export const bucketId = (key: string, number: number): string => `${key}:${number}`;

/** Some servers find one by an index, and several only by a scan. */
export const withIds = (
  ids: readonly string[],
): { readonly _id: string | { readonly $in: readonly string[] } } => {
  const [only] = ids;
  return { _id: ids.length === 1 && only !== undefined ? only : { $in: ids } };
};

export const bucketNumber = (id: string): number => Number(id.slice(id.lastIndexOf(':') + 1));

export const bucketIds = (key: string, from: number, to: number): string[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => bucketId(key, from + n));

/** A message as a bucket has it. */
export interface StoredMessage extends Standing {
  readonly encoded: Uint8Array;
}

export interface Bucket {
  readonly number: number;
  /** 0 where it is not stored yet. */
  readonly version: number;
  readonly isFull: boolean;
  readonly before: readonly string[];
  readonly messages: readonly StoredMessage[];
}

/** It is full with the message that reaches one of them, so that all who append agree on it. */
const fullMessages = 100;
const fullBytes = 256 * 1024;

export const bytesOf = (messages: readonly StoredMessage[]): number =>
  messages.reduce((sum, { encoded }) => sum + encoded.length, 0);

export const fillsBucket = (messages: readonly StoredMessage[]): boolean =>
  messages.length >= fullMessages || bytesOf(messages) >= fullBytes;

type Row = readonly [epoch: number, offset: number, ordinal: number, latestAt: number, encoded: Uint8Array];

const encoder = new Encoder();

/** Of a bucket that is not empty. */
export const bucketDocument = (
  key: string,
  { number, isFull, before, messages }: Bucket,
  version: number,
): BucketDocument => {
  const rows = messages.map(({ place: { epoch, offset }, ordinal, latestAt, encoded }): Row => [
    ...([epoch, offset, ordinal, latestAt] as const),
    encoded,
  ]);
  const [from, to] = [messages[0], messages.at(-1)].map((each) => standing(each as StoredMessage));
  return {
    ...{ _id: bucketId(key, number), version, count: messages.length, isFull, before },
    ...{ from: from as Standing, to: to as Standing },
    content: new Binary(encoder.encode(rows)),
  };
};

export const readBucket = ({ _id, version, isFull, before, content }: BucketDocument): Bucket => ({
  ...{ number: bucketNumber(_id), version, isFull, before },
  messages: (decode(content.value()) as readonly Row[]).map(
    ([epoch, offset, ordinal, latestAt, encoded]) => ({
      ...{ place: { epoch, offset }, ordinal, latestAt, encoded },
    }),
  ),
});

export const standing = ({ place, ordinal, latestAt }: Standing): Standing => ({ place, ordinal, latestAt });

export const keptMessage = (stored: StoredMessage): KeptMessage => ({
  ...standing(stored),
  message: liveMessages.codec.decode(stored.encoded),
});

const digits = 16;

export const markOf = ({ epoch, offset }: Place): string =>
  [epoch, offset].map((each) => String(each).padStart(digits, '0')).join('-');

export const placeOfMark = (mark: string): Place => {
  const [epoch, offset] = mark.split('-').map(Number);
  return { epoch: epoch as number, offset: offset as number };
};
