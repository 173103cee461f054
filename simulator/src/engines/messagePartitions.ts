import { Buffer } from 'node:buffer';
import type { ChannelPartitions } from '@roomwire/shared/adapters/message-bus/kafka/channelPartitions';
import type { EndsOfPartition, StoredRecord } from '@roomwire/shared/adapters/message-bus/kafka/kafkaClient';
import { partitionOf, type Carried } from '@roomwire/shared/adapters/message-bus/kafka/recordFormat';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { Network } from './network.js';

const fetchedAtOnce = 25;

/** The partitions of `messages`, in each of which several rooms have one order. */
export class MessagePartitions {
  readonly count = 2;
  private readonly records: readonly StoredRecord[][] = Array.from({ length: this.count }, () => []);

  partitionOf(key: string): number {
    return partitionOf(Buffer.from(key), this.count);
  }

  /** Returns the offset. */
  append(key: string, bytes: Uint8Array, headers: Carried | undefined): number {
    const records = this.of(this.partitionOf(key));
    const offset = records.length;
    records.push({
      offset: String(offset),
      timestamp: '0',
      key: Buffer.from(key),
      value: Buffer.from(bytes),
      headers,
    });
    return offset;
  }

  bounds(partition: number): EndsOfPartition {
    return { partition, low: 0, high: this.of(partition).length };
  }

  from(partition: number, offset: number): readonly StoredRecord[] {
    return this.of(partition).slice(offset, offset + fetchedAtOnce);
  }

  private of(partition: number): StoredRecord[] {
    return this.records[partition] as StoredRecord[];
  }
}

/** As one process reads them. */
export const partitionsPort = (
  process: SimulatedProcess,
  network: Network,
  partitions: MessagePartitions,
): Pick<ChannelPartitions, 'count' | 'partitionOf' | 'bounds' | 'records'> => {
  const call = <T>(act: () => T): Promise<T> => network.call(process, 'bus', 'message history', act);
  return {
    count: partitions.count,
    partitionOf: (key) => partitions.partitionOf(key),
    bounds: (partition) => call(() => partitions.bounds(partition)),
    records: (partition, offset) => call(() => partitions.from(partition, offset)),
  };
};
