import { Buffer } from 'node:buffer';
import type { EndsOfPartition, PartitionReader, StoredRecord } from './kafkaClient.js';
import { fetchRecords } from './partitionHistory.js';
import { partitionOf } from './recordFormat.js';
import type { Renewable } from './renewableClient.js';
import type { EndOffsets } from './topicCatalog.js';

export interface ChannelPartitionsOptions {
  readonly topic: string;
  readonly count: number;
  readonly ends: EndOffsets;
  readonly reader: Renewable<PartitionReader>;
  readonly withinMs: number;
}

/** The partitions of a channel, for those who read them by offset. Everything rejects with `EngineUnavailable`. */
export class ChannelPartitions {
  private readonly options: ChannelPartitionsOptions;

  constructor(options: ChannelPartitionsOptions) {
    this.options = options;
  }

  get count(): number {
    return this.options.count;
  }

  partitionOf(key: string): number {
    return partitionOf(Buffer.from(key), this.options.count);
  }

  /** As of a moment after the call, which those share that call at once. */
  async bounds(partition: number): Promise<EndsOfPartition> {
    const bounds = await this.options.ends.bounds([partition]);
    return bounds[partition] as EndsOfPartition;
  }

  /** Some records, the first of which is the one at the offset, which must be below the end. Undefined where that has expired. */
  async records(partition: number, offset: number): Promise<readonly StoredRecord[] | undefined> {
    const fetched = await fetchRecords({ ...this.options, partition }, offset);
    return fetched?.filter((record) => Number(record.offset) >= offset);
  }
}
