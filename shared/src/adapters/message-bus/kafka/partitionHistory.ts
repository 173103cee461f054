import type { Admin, Kafka, KafkaMessage } from 'kafkajs';
import { createCluster, leadersIn, type Broker } from './kafkaCluster.js';
import {
  type Connectable,
  isOfPartition,
  PartitionUnavailable,
  type Renewable,
  untilAnswered,
  within,
} from './renewableClient.js';
import type { EndOffsets } from './topicCatalog.js';
import { RepeatedRecords } from './recordFormat.js';

export interface RecordPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Reads a partition from an offset, without a group: joining one takes seconds. */
export interface PartitionReader extends Connectable {
  /**
   * Whole batches, so that the first records may come before the offset; at least one batch unless there is none.
   * Undefined where the offset has expired.
   */
  read(position: RecordPosition, maxBytes: number): Promise<readonly KafkaMessage[] | undefined>;
}

const longestFetchWaitMs = 500;
const ordinaryReader = -1;

/** The fetcher of the library's consumers, which it offers only together with a group. */
export const createPartitionReader = (kafka: Kafka): PartitionReader => {
  const cluster = createCluster(kafka);

  const leaderOf = async ({ topic, partition }: RecordPosition): Promise<Broker> => {
    await cluster.addTargetTopic(topic);
    await cluster.refreshMetadataIfNecessary();
    const nodeId = leadersIn(cluster, topic)[partition];
    if (nodeId === undefined) throw new PartitionUnavailable(topic, partition);
    return cluster.findBroker({ nodeId });
  };

  return {
    connect: () => cluster.connect(),
    disconnect: () => cluster.disconnect(),
    read: async (position, maxBytes) => {
      const { topic, partition, offset } = position;
      const broker = await leaderOf(position);
      const fetched = broker.fetch({
        replicaId: ordinaryReader,
        isolationLevel: 0,
        maxWaitTime: longestFetchWaitMs,
        minBytes: 1,
        maxBytes,
        topics: [{ topic, partitions: [{ partition, fetchOffset: String(offset), maxBytes }] }],
      });
      const response = await fetched.catch(async (error: Error): Promise<undefined> => {
        // It may have another leader now.
        if (isOfPartition(error)) await cluster.refreshMetadata();
        return undefinedIfGone(error);
      });
      return response && (response.responses[0]?.partitions[0]?.messages ?? []);
    },
  };
};

const undefinedIfGone = (error: Error & { readonly type?: string }): undefined => {
  if (error.type !== 'OFFSET_OUT_OF_RANGE') throw error;
};

export interface PartitionHistoryOptions {
  readonly topic: string;
  readonly partition: number;
  readonly ends: EndOffsets;
  readonly admin: Renewable<Admin>;
  readonly reader: Renewable<PartitionReader>;
  readonly withinMs: number;
}

const fetchBytes = 512 * 1024;

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
  async *all(): AsyncGenerator<readonly KafkaMessage[]> {
    const repeated = new RepeatedRecords();
    for (let next = this.start; next < this.end;) {
      const fetched = await this.fetch(next);
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
  async from(start: number): Promise<readonly KafkaMessage[]> {
    const fetched = await this.fetch(start);
    return fetched?.filter(({ offset }) => Number(offset) >= start) ?? [];
  }

  /** At least one record, since the end is behind the offset. Undefined where they have expired. */
  private fetch(offset: number): Promise<readonly KafkaMessage[] | undefined> {
    const { topic, partition, reader, withinMs } = this.options;
    const attempt = async () => {
      const position = { topic, partition, offset };
      const messages = await reader.use((client) => client.read(position, fetchBytes));
      if (messages?.length === 0) throw new Error(`Nothing came of ${topic} ${partition} at ${offset}`);
      return messages;
    };
    return within(withinMs, untilAnswered(attempt, withinMs));
  }
}

/** The offset of the first record at or after the time; the end where there is none. */
const offsetOf = async (
  timeMs: number,
  { topic, partition, admin, withinMs }: PartitionHistoryOptions,
): Promise<number> => {
  const ask = async () => {
    const offsets = await admin.use((client) => client.fetchTopicOffsetsByTimestamp(topic, timeMs));
    const found = offsets.find((one) => one.partition === partition);
    if (!found) throw new PartitionUnavailable(topic, partition);
    return Number(found.offset);
  };
  return within(withinMs, untilAnswered(ask, withinMs));
};
