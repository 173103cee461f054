import type { KafkaAdmin, PartitionReader, StoredRecord } from './kafkaClient.js';
import { PartitionUnavailable, type Renewable, untilAnswered, within } from './renewableClient.js';
import type { EndOffsets } from './topicCatalog.js';
import { RepeatedRecords } from './recordFormat.js';

export interface PartitionHistoryOptions {
  readonly topic: string;
  readonly partition: number;
  readonly ends: EndOffsets;
  readonly admin: Renewable<KafkaAdmin>;
  readonly reader: Renewable<PartitionReader>;
  readonly withinMs: number;
}

const fetchBytes = 512 * 1024;

/**
 * At least one record, where the end is behind the offset; the first ones may come before it. Undefined where they have
 * expired. Rejects with `EngineUnavailable`.
 */
export const fetchRecords = (
  { topic, partition, reader, withinMs }: Omit<PartitionHistoryOptions, 'ends' | 'admin'>,
  offset: number,
): Promise<readonly StoredRecord[] | undefined> => {
  const attempt = async () => {
    const position = { topic, partition, offset };
    const messages = await reader.use((client) => client.read(position, fetchBytes));
    if (messages?.length === 0) throw new Error(`Nothing came of ${topic} ${partition} at ${offset}`);
    return messages;
  };
  return within(withinMs, untilAnswered(attempt, withinMs));
};

/** The records of one partition, from a time to the end of the partition when this is opened. */
export class PartitionHistory {
  /** The offset of the first record of that time; later records may be older where clocks differ. */
  readonly start: number;
  readonly end: number;
  private readonly options: PartitionHistoryOptions;

  private constructor(start: number, end: number, options: PartitionHistoryOptions) {
    this.start = start;
    this.end = end;
    this.options = options;
  }

  /** Rejects with `EngineUnavailable`, like all methods here. */
  static async open(options: PartitionHistoryOptions, sinceMs: number): Promise<PartitionHistory> {
    const end = (await options.ends.fetch([options.partition]))[options.partition] as number;
    const start = end === 0 ? 0 : await offsetOf(Math.max(0, sinceMs), options);
    return new PartitionHistory(Math.min(start, end), end, options);
  }

  /** All of it, a fetch at a time; second copies of a record are left out. */
  async *all(): AsyncGenerator<readonly StoredRecord[]> {
    const repeated = new RepeatedRecords();
    for (let next = this.start; next < this.end;) {
      const fetched = await fetchRecords(this.options, next);
      const from = next;
      if (fetched === undefined) {
        next = Math.max(from + 1, await offsetOf(0, this.options));
        continue;
      }
      next = Number(fetched.at(-1)?.offset) + 1;
      yield fetched.filter(({ offset, headers }) => {
        const at = Number(offset);
        return !repeated.isRepeated(at, headers) && at >= from && at < this.end;
      });
    }
  }

  /** Some records, the first of which is the one at the offset; none where that has expired. */
  async from(start: number): Promise<readonly StoredRecord[]> {
    const fetched = await fetchRecords(this.options, start);
    return fetched?.filter(({ offset }) => Number(offset) >= start) ?? [];
  }
}

/** The offset of the first record at or after the time; the end where there is none. */
const offsetOf = async (
  timeMs: number,
  { topic, partition, admin, withinMs }: PartitionHistoryOptions,
): Promise<number> => {
  const ask = async () => {
    const offsets = await admin.use((client) => client.fetchOffsetsAt(topic, timeMs));
    const found = offsets[partition];
    if (found === undefined) throw new PartitionUnavailable(topic, partition);
    return found;
  };
  return within(withinMs, untilAnswered(ask, withinMs));
};
