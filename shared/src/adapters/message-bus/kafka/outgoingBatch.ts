import type { Message } from 'kafkajs';
import type { FifoQueue } from '../fifoQueue.js';
import { groupedMessages } from './groupedMessages.js';
import { partitionOf } from './partitionOf.js';
import type { RecordNumbers } from './recordId.js';

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

/** A record with its place, which it keeps however often it is sent. */
export interface Placed {
  readonly outgoing: Outgoing;
  readonly partition: number;
  readonly number: number;
}

/** What the library adds to a record, at most: lengths, offset, timestamp and our header. */
export const recordOverheadBytes = 70;

/** A broker refuses a batch that is larger than the largest record, and the library does not divide one. */
const partitionBatchBytes = 900_000;
const batchBytes = 4_000_000;
/** The library encodes a batch in one go, which takes some 10 microseconds a record: nothing else happens meanwhile. */
const batchRecords = 1_000;

/** The first records in the queue, as many as may go together; a single one that is larger goes alone. */
export const takeBatch = (
  queue: FifoQueue<Outgoing>,
  partitions: number,
  numbers: RecordNumbers,
): Placed[] => {
  const records: Placed[] = [];
  const bytesOf = new Map<number, number>();
  let bytes = 0;
  for (let record = queue.first; record && records.length < batchRecords; record = queue.first) {
    const partition = partitionOf(record.message.key, partitions);
    const inPartition = (bytesOf.get(partition) ?? 0) + record.bytes;
    const isFull = inPartition > partitionBatchBytes || bytes + record.bytes > batchBytes;
    if (isFull && records.length > 0) break;
    queue.shift();
    records.push({ outgoing: record, partition, number: numbers.next(partition) });
    bytesOf.set(partition, inPartition);
    bytes += record.bytes;
  }
  return records;
};

/** As the library takes them: the first of each partition says what comes with it. */
export const asMessages = (records: readonly Placed[], numbers: RecordNumbers): Message[] => {
  const byPartition = new Map<number, Placed[]>();
  for (const record of records) {
    const placed = byPartition.get(record.partition);
    if (placed) placed.push(record);
    else byPartition.set(record.partition, [record]);
  }
  return groupedMessages(
    [...byPartition].map(([partition, placed]) => messagesOf(partition, placed, numbers)),
  );
};

const messagesOf = (
  partition: number,
  placed: readonly Placed[],
  numbers: RecordNumbers,
): [partition: number, messages: Message[]] => {
  const [first, ...others] = placed.map(({ outgoing }): Message => ({ ...outgoing.message, partition }));
  const id = numbers.headers((placed[0] as Placed).number, placed.length);
  const headers = first?.headers === undefined ? id : { ...first.headers, ...id };
  return [partition, [{ ...(first as Message), headers }, ...others]];
};
