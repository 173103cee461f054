import type { Message } from 'kafkajs';
import type { Fifo } from '../fifo.js';
import { partitionOf } from './partitionOf.js';

export interface Outgoing {
  readonly message: Message & { readonly key: Buffer };
  readonly bytes: number;
  /** Monotonic clock. */
  readonly expiresAt: number;
  /** Absent when nobody waits for the record to be stored. */
  readonly settle: Settle | undefined;
}

export interface Settle {
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

export interface OutgoingBatch {
  readonly records: readonly Outgoing[];
  readonly bytes: number;
}

/** What the library adds to a record, at most: lengths, offset, timestamp and our header. */
export const recordOverheadBytes = 70;

/** A broker refuses a batch that is larger than the largest record, and the library does not divide one. */
const partitionBatchBytes = 900_000;
const batchBytes = 4_000_000;
/** The library copies a partition's list once for every record that it puts in. */
const batchRecords = 1_000;

/** The first records in the queue, as many as may go together; a single one that is larger goes alone. */
export const takeBatch = (queue: Fifo<Outgoing>, partitions: number): OutgoingBatch => {
  const records: Outgoing[] = [];
  const bytesOf = new Map<number, number>();
  let bytes = 0;
  for (let record = queue.first; record && records.length < batchRecords; record = queue.first) {
    const partition = partitionOf(record.message.key, partitions);
    const inPartition = (bytesOf.get(partition) ?? 0) + record.bytes;
    const isFull = inPartition > partitionBatchBytes || bytes + record.bytes > batchBytes;
    if (isFull && records.length > 0) break;
    queue.shift();
    record.message.partition = partition;
    records.push(record);
    bytesOf.set(partition, inPartition);
    bytes += record.bytes;
  }
  return { records, bytes };
};
