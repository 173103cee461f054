import type { Admin, KafkaMessage } from 'kafkajs';
import type { EndOffsets } from './endOffsets.js';
import type { PartitionReader } from './partitionReader.js';
import { RepeatedRecords } from './recordId.js';
import type { Renewable } from './renewable.js';
import { untilAnswered } from './untilAnswered.js';
import { within } from './within.js';

export interface PartitionHistoryOptions {
  readonly topic: string;
  readonly partition: number;
  readonly ends: EndOffsets;
  readonly admin: Renewable<Admin>;
  readonly reader: Renewable<PartitionReader>;
  readonly withinMs: number;
}

const fetchBytes = 512 * 1024;

/** What stands in one partition, from a time on to the end that it has when this is opened. */
export class PartitionHistory {
  /** The place of the first record of that time; a later one may be older, where clocks differ. */
  readonly start: number;
  readonly end: number;
  private readonly options: PartitionHistoryOptions;

  private constructor(start: number, end: number, options: PartitionHistoryOptions) {
    this.start = start;
    this.end = end;
    this.options = options;
  }

  /** Rejects with `EngineUnavailable`, as all else here. */
  static async open(options: PartitionHistoryOptions, sinceMs: number): Promise<PartitionHistory> {
    const end = (await options.ends.fetch())[options.partition] ?? 0;
    const start = end === 0 ? 0 : await placeOf(Math.max(0, sinceMs), options);
    return new PartitionHistory(Math.min(start, end), end, options);
  }

  /** All of it, a fetch at a time; second copies of a record are left out. */
  async *all(): AsyncGenerator<readonly KafkaMessage[]> {
    const repeated = new RepeatedRecords();
    for (let next = this.start; next < this.end;) {
      const fetched = await this.fetch(next);
      const from = next;
      if (fetched === undefined) {
        next = Math.max(from + 1, await placeOf(0, this.options));
        continue;
      }
      next = Number(fetched.at(-1)?.offset) + 1;
      yield fetched.filter(({ offset, headers }) => {
        const at = Number(offset);
        return !repeated.isRepeated(at, headers) && at >= from && at < this.end;
      });
    }
  }

  /** Some records, of which the one at the place is the first; none where it is no longer there. */
  async from(place: number): Promise<readonly KafkaMessage[]> {
    const fetched = await this.fetch(place);
    return fetched?.filter(({ offset }) => Number(offset) >= place) ?? [];
  }

  /** At least one record, since the end is behind the place. Undefined where they have expired. */
  private fetch(offset: number): Promise<readonly KafkaMessage[] | undefined> {
    const { topic, partition, reader, withinMs } = this.options;
    const attempt = async () => {
      const place = { topic, partition, offset };
      const messages = await reader.use((client) => client.read(place, fetchBytes));
      if (messages?.length === 0) throw new Error(`Nothing came of ${topic} ${partition} at ${offset}`);
      return messages;
    };
    return within(withinMs, untilAnswered(attempt, withinMs));
  }
}

/** Of the first record of the time or a later one; the end where there is none. */
const placeOf = async (
  timeMs: number,
  { topic, partition, admin, withinMs }: PartitionHistoryOptions,
): Promise<number> => {
  const ask = () => admin.use((client) => client.fetchTopicOffsetsByTimestamp(topic, timeMs));
  const places = await within(withinMs, untilAnswered(ask, withinMs));
  return Number(places.find((place) => place.partition === partition)?.offset);
};
