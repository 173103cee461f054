import { FifoQueue } from '../fifoQueue.js';
import type { RecordToSend } from './kafkaClient.js';
import type { RecordNumbers } from './recordFormat.js';

export interface Outgoing {
  readonly message: RecordToSend;
  readonly bytes: number;
  /** Monotonic clock. */
  readonly expiresAt: number;
  /** Absent for a record that is not waited for. */
  readonly settle: Settle | undefined;
}

export interface Settle {
  readonly stored: (offset: number) => void;
  readonly failed: (error: unknown) => void;
}

/** A record with its number in its partition, which it keeps however often it is sent. */
export interface NumberedRecord {
  readonly outgoing: Outgoing;
  readonly number: number;
}

/** A broker refuses a batch that is larger than the largest record, and the library does not divide one. */
const partitionBatchBytes = 900_000;
const batchBytes = 4_000_000;
/** The library encodes a batch synchronously, which takes some 10 microseconds a record: nothing else happens meanwhile. */
const batchRecords = 1_000;

/** What waits for a partition, and what is on its way there: one batch, so that order holds. */
export class Lane {
  readonly partition: number;
  readonly waiting = new FifoQueue<Outgoing>();
  /** Without those whose sends were rejected. What failed is sent again as it was, before anything that waits. */
  sending: readonly NumberedRecord[] = [];
  /** The number of the first record of the latest request. */
  firstSent = 0;
  /** Of all that was taken into the batch. */
  sendingBytes = 0;
  /** In a request, or paused after one. */
  isTaken = false;
  /** Of successive attempts. */
  failures = 0;
  /** Monotonic clock: when it last did not take its records, if it has taken none since. */
  refusedAt: number | undefined;

  constructor(partition: number) {
    this.partition = partition;
  }

  get isEmpty(): boolean {
    return this.sending.length === 0 && this.waiting.isEmpty;
  }

  /** The first records, as many as may go together; of a request that is empty so far a single one that is larger. */
  take(numbers: RecordNumbers, most: { readonly records: number; readonly bytes: number }): void {
    const isRequestEmpty = most.bytes === batchBytes;
    const records: NumberedRecord[] = [];
    let bytes = 0;
    for (
      let record = this.waiting.first;
      record && records.length < most.records;
      record = this.waiting.first
    ) {
      const isFull = bytes + record.bytes > Math.min(partitionBatchBytes, most.bytes);
      if (isFull && (records.length > 0 || !isRequestEmpty)) break;
      this.waiting.shift();
      records.push({ outgoing: record, number: numbers.next(this.partition) });
      bytes += record.bytes;
    }
    this.sending = records;
    this.sendingBytes = bytes;
  }
}

/** The lanes that go together in one request, with what they send. */
export const takeBatch = (lanes: Iterable<Lane>, numbers: RecordNumbers): Lane[] => {
  const taken: Lane[] = [];
  const most = { records: batchRecords, bytes: batchBytes };
  for (const lane of lanes) {
    if (lane.sending.length === 0) lane.take(numbers, most);
    else if (taken.length > 0 && lane.sendingBytes > most.bytes) continue;
    const [first] = lane.sending;
    if (first === undefined) continue;
    lane.firstSent = first.number;
    taken.push(lane);
    most.records -= lane.sending.length;
    most.bytes -= lane.sendingBytes;
    if (most.records <= 0 || most.bytes <= 0) break;
  }
  return taken;
};

/** In the library's format; the first record describes the batch in its header. */
export const messagesOf = ({ sending }: Lane, numbers: RecordNumbers): RecordToSend[] => {
  const [first, ...others] = sending.map(({ outgoing }) => outgoing.message);
  const id = numbers.headers((sending[0] as NumberedRecord).number, sending.length);
  const headers = first?.headers === undefined ? id : { ...first.headers, ...id };
  return [{ ...(first as RecordToSend), headers }, ...others];
};
