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

type KnownTopic = Pick<TopicDocument, '_id' | 'first' | 'last' | 'newest' | 'deletedTo'>;

/** Reads the buckets of a topic, as it was found. Each by its id alone: some servers look at all documents for a list of ids. */
export class BucketPages {
  private readonly connection: MongoConnection;
  private readonly buckets: HistoryCollections['buckets'];
  private readonly topic: KnownTopic;

  constructor(connection: MongoConnection, { buckets }: HistoryCollections, topic: KnownTopic) {
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
    let number = this.isBehindAll(before) ? last : (await this.lowestWhere(isNotBefore)) - 1;
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

  /** Whether a place is behind everything that there was when the topic was found; undefined is. */
  private isBehindAll(place: Place | undefined): boolean {
    const { newest } = this.topic;
    return place === undefined || newest === null || comparePlaces(newest.place, place) < 0;
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

  private async spans(numbers: readonly number[]): Promise<readonly BucketSpan[]> {
    const spans = numbers.map((number) => {
      const _id = bucketId(this.topic._id, number);
      return this.connection.call(() =>
        this.buckets.findOne<BucketSpan>({ _id }, { ...spanOnly, ...readLimits() }),
      );
    });
    return (await Promise.all(spans)).filter((span) => span !== null);
  }

  private async read(from: number, to: number): Promise<Bucket[]> {
    const reads = bucketIds(this.topic._id, from, to).map((_id) =>
      this.connection.call(() => this.buckets.findOne({ _id }, readLimits())),
    );
    const found = (await Promise.all(reads)).filter((bucket) => bucket !== null);
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
