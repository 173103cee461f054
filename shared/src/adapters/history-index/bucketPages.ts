import type { KeptMessage } from '../../ports/history.js';
import { comparePlaces, type Place } from '../../wire/protocol/position.js';
import { readLimits, type MongoConnection } from '../mongo/connection.js';
import {
  bucketId,
  bucketIds,
  bucketNumber,
  keptMessage,
  readBucket,
  spanOnly,
  withIds,
  type Bucket,
  type BucketSpan,
  type HistoryCollections,
  type TopicDocument,
} from './historyDocuments.js';
import { isUpTo } from './intake.js';

/** Buckets in one query, the first of which is only one: the newest messages are asked for most. */
const mostAtOnce = 8;
/** Buckets that are compared with a place in one query. */
const compared = 16;

/** Reads the buckets of a topic, as it was found. */
export class BucketPages {
  private readonly connection: MongoConnection;
  private readonly buckets: HistoryCollections['buckets'];
  private readonly topic: Pick<TopicDocument, '_id' | 'first' | 'last' | 'deletedTo'>;

  constructor(
    connection: MongoConnection,
    { buckets }: HistoryCollections,
    topic: Pick<TopicDocument, '_id' | 'first' | 'last' | 'deletedTo'>,
  ) {
    this.connection = connection;
    this.buckets = buckets;
    this.topic = topic;
  }

  async *oldestFirst(after: Place | undefined): AsyncGenerator<readonly KeptMessage[]> {
    const { first, last } = this.topic;
    const isBehind = ({ to }: BucketSpan) => after === undefined || comparePlaces(to.place, after) > 0;
    let number = after === undefined ? first : await this.lowestWhere(isBehind);
    for (let size = 1; number <= last; size = Math.min(2 * size, mostAtOnce)) {
      const upTo = Math.min(number + size - 1, last);
      for (const bucket of await this.read(number, upTo)) {
        const page = this.shown(bucket, (place) => after === undefined || comparePlaces(place, after) > 0);
        if (page.length > 0) yield page;
      }
      number = upTo + 1;
    }
  }

  async *newestFirst(before: Place | undefined): AsyncGenerator<readonly KeptMessage[]> {
    const { first, last } = this.topic;
    const isNotBefore = ({ from }: BucketSpan) =>
      before !== undefined && comparePlaces(from.place, before) >= 0;
    let number = before === undefined ? last : (await this.lowestWhere(isNotBefore)) - 1;
    for (let size = 1; number >= first; size = Math.min(2 * size, mostAtOnce)) {
      const downTo = Math.max(number - size + 1, first);
      const found = await this.read(downTo, number);
      // What is missing was removed, with all before it.
      if (found.length === 0) return;
      for (const bucket of found.reverse()) {
        const page = this.shown(bucket, (place) => before === undefined || comparePlaces(place, before) < 0);
        if (page.length > 0) yield page.reverse();
      }
      number = downTo - 1;
    }
  }

  /** The first bucket for which it is true, as it is for all behind; the number behind the last one where there is none. */
  private async lowestWhere(isTrue: (bucket: BucketSpan) => boolean): Promise<number> {
    let { first: low, last: high } = this.topic;
    high += 1;
    while (low < high) {
      const numbers = spread(low, high - 1);
      const found = new Map((await this.spans(numbers)).map((each) => [bucketNumber(each._id), each]));
      for (const number of numbers) {
        const span = found.get(number);
        // One that is missing was removed, with all before it.
        if (span !== undefined && isTrue(span)) {
          high = number;
          break;
        }
        low = number + 1;
      }
    }
    return low;
  }

  private spans(numbers: readonly number[]): Promise<BucketSpan[]> {
    const filter = withIds(numbers.map((number) => bucketId(this.topic._id, number)));
    const options = { ...spanOnly, ...readLimits() };
    return this.connection.call(() => this.buckets.find<BucketSpan>(filter, options).toArray());
  }

  private async read(from: number, to: number): Promise<Bucket[]> {
    const filter = withIds(bucketIds(this.topic._id, from, to));
    const found = await this.connection.call(() => this.buckets.find(filter, readLimits()).toArray());
    return found.map(readBucket).sort((one, other) => one.number - other.number);
  }

  private shown({ messages }: Bucket, isWithin: (place: Place) => boolean): KeptMessage[] {
    const deletedTo = this.topic.deletedTo ?? undefined;
    return messages.filter(({ place }) => isWithin(place) && !isUpTo(place, deletedTo)).map(keptMessage);
  }
}

/** Some numbers, evenly between these two, ascending. */
const spread = (low: number, high: number): readonly number[] => {
  const count = Math.min(compared, high - low + 1);
  const parts = Math.max(count - 1, 1);
  return Array.from({ length: count }, (_, n) => low + Math.floor((n * (high - low)) / parts));
};
