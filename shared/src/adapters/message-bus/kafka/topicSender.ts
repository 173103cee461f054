import type { Message, ProducerRecord } from 'kafkajs';
import { setTimeout as pause } from 'node:timers/promises';
import { FifoQueue } from '../fifoQueue.js';
import { partitionOf, RecordNumbers, traceHeaderBytes, traceHeaders } from './recordFormat.js';
import type { Acknowledgement } from '../../../ports/messageBus.js';
import { EngineUnavailable } from '../../../ports/errors.js';
import { done } from '../channelHub.js';
import { isAnswer, pauseBeforeAttempt } from './renewableClient.js';

/**
 * All messages of a send, already grouped by partition. kafkajs 2.2.4 would group them by `messages.reduce`, in
 * which it copies the list of a partition for every message in it: 1 to 2 of the 12 microseconds that a message of a full batch
 * takes. This array returns the existing grouping instead.
 * Relies on internals: the version is pinned, and a test fails when they change.
 */
export const groupedMessages = (
  byPartition: readonly (readonly [partition: number, messages: readonly Message[]])[],
): Message[] => {
  const grouped = Object.fromEntries(byPartition);
  const messages = byPartition.flatMap(([, ofPartition]) => ofPartition);
  return Object.defineProperty(messages, 'reduce', { value: () => grouped });
};

export interface Outgoing {
  readonly message: Message & { readonly key: Buffer };
  readonly bytes: number;
  /** Monotonic clock. */
  readonly expiresAt: number;
  /** Absent for a record that is not waited for. */
  readonly settle: Settle | undefined;
}

export interface Settle {
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

/** A record with its partition and number, which it keeps however often it is sent. */
export interface NumberedRecord {
  readonly outgoing: Outgoing;
  readonly partition: number;
  readonly number: number;
}

/** Maximum overhead per record: lengths, offset, timestamp and the Roomwire header. */
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
): NumberedRecord[] => {
  const records: NumberedRecord[] = [];
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

/** In the library's format; the first record of each partition describes the batch in its header. */
export const asMessages = (records: readonly NumberedRecord[], numbers: RecordNumbers): Message[] => {
  const byPartition = new Map<number, NumberedRecord[]>();
  for (const record of records) {
    const numbered = byPartition.get(record.partition);
    if (numbered) numbered.push(record);
    else byPartition.set(record.partition, [record]);
  }
  return groupedMessages(
    [...byPartition].map(([partition, numbered]) => messagesOf(partition, numbered, numbers)),
  );
};

const messagesOf = (
  partition: number,
  numbered: readonly NumberedRecord[],
  numbers: RecordNumbers,
): [partition: number, messages: Message[]] => {
  const [first, ...others] = numbered.map(({ outgoing }): Message => ({ ...outgoing.message, partition }));
  const id = numbers.headers((numbered[0] as NumberedRecord).number, numbered.length);
  const headers = first?.headers === undefined ? id : { ...first.headers, ...id };
  return [partition, [{ ...(first as Message), headers }, ...others]];
};

export interface TopicSenderOptions {
  readonly topic: string;
  /** Resolves when the topic is there. */
  readonly partitions: () => Promise<number>;
  /** One attempt. */
  readonly produce: (records: ProducerRecord) => Promise<unknown>;
  readonly reachability: { readonly isReachable: boolean };
  readonly maxRecordBytes: number;
  /** How long a record waits to be stored before its send is rejected. */
  readonly withinMs: number;
  readonly maxQueuedBytes: number;
}

export interface NewRecord {
  readonly key: Buffer;
  readonly value: Buffer;
  /** Wall clock; the library's own when absent. */
  readonly timestamp?: number;
  /** W3C Trace Context, for a header; undefined for none. */
  readonly traceparent?: string | undefined;
}

/** The leader's answer paces the batches even when no sender waits for it: without, a frozen broker would fill our memory. */
const fromLeader = 1;
const fromAllReplicas = -1;

const expiryLookMs = 500;

/**
 * All records of this process to one topic, in the order of the calls: one batch is on its way, and what comes
 * meanwhile goes into the next. A batch that failed is sent again as it was before anything after it, so that
 * order holds and readers recognize a second copy.
 */
export class TopicSender {
  private readonly options: TopicSenderOptions;
  private readonly numbers = new RecordNumbers();
  private readonly queue = new FifoQueue<Outgoing>();
  private queuedBytes = 0;
  /** On their way, without those whose sends were rejected. */
  private sending: readonly NumberedRecord[] = [];
  private running: Promise<void> | undefined;
  private expiry: NodeJS.Timeout | undefined;

  constructor(options: TopicSenderOptions) {
    this.options = options;
  }

  send(record: NewRecord, acknowledgement: Acknowledgement): Promise<void> {
    const headerBytes = record.traceparent === undefined ? 0 : traceHeaderBytes;
    const bytes = record.key.length + record.value.length + recordOverheadBytes + headerBytes;
    const refusal = this.refusal(bytes, acknowledgement);
    if (refusal) return Promise.reject(refusal);
    if (acknowledgement === 'stored')
      return new Promise((stored, failed) => this.enqueue(record, bytes, { stored, failed }));
    this.enqueue(record, bytes, undefined);
    return done;
  }

  /** Resolves when everything that was accepted is stored or has failed. */
  async flush(): Promise<void> {
    await this.running;
  }

  private refusal(bytes: number, acknowledgement: Acknowledgement): Error | undefined {
    const { topic, maxRecordBytes, maxQueuedBytes, reachability } = this.options;
    if (bytes > maxRecordBytes)
      return new RangeError(`A record of ${bytes} bytes is too large for the topic ${topic}`);
    const isFull = this.queuedBytes + bytes > maxQueuedBytes;
    const wouldBeLost = acknowledgement === 'none' && !reachability.isReachable;
    return isFull || wouldBeLost ? new EngineUnavailable('message bus') : undefined;
  }

  private enqueue(record: NewRecord, bytes: number, settle: Settle | undefined): void {
    const { key, value, timestamp, traceparent } = record;
    const message: Outgoing['message'] = { key, value };
    if (timestamp !== undefined) message.timestamp = String(timestamp);
    if (traceparent !== undefined) message.headers = traceHeaders(traceparent);
    const expiresAt = performance.now() + this.options.withinMs;
    this.queue.push({ message, bytes, expiresAt, settle });
    this.queuedBytes += bytes;
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    // Collects the records that other callers send in this turn of the event loop.
    await new Promise(setImmediate);
    this.watchExpiry();
    while (!this.queue.isEmpty) await this.sendNext();
    clearTimeout(this.expiry);
    this.expiry = undefined;
    this.running = undefined;
  }

  private async sendNext(): Promise<void> {
    const partitions = await this.options.partitions().catch((error: unknown) => this.failAll(error));
    if (partitions === undefined) return;
    const records = takeBatch(this.queue, partitions, this.numbers);
    this.sending = records;
    await this.sendUntilSettled();
    this.sending = [];
    for (const { outgoing } of records) this.queuedBytes -= outgoing.bytes;
  }

  private async sendUntilSettled(): Promise<void> {
    for (let failures = 1; this.sending.length > 0; failures += 1) {
      const records = this.sending;
      try {
        await this.attempt(records);
        for (const { outgoing } of records) outgoing.settle?.stored();
        return;
      } catch (error) {
        if (isAnswer(error)) return failAll(records, error);
        await pause(pauseBeforeAttempt(failures));
        this.expire();
      }
    }
  }

  private async attempt(records: readonly NumberedRecord[]): Promise<void> {
    const { topic, produce } = this.options;
    const acks = records.some(({ outgoing }) => outgoing.settle) ? fromAllReplicas : fromLeader;
    await produce({ topic, acks, messages: asMessages(records, this.numbers) });
  }

  /** Rejects the sends that have waited long enough, while an attempt hangs or between two. */
  private expire(): void {
    const now = performance.now();
    const isExpired = ({ expiresAt }: Outgoing): boolean => expiresAt <= now;
    const error = new EngineUnavailable('message bus');
    failAll(
      this.sending.filter(({ outgoing }) => isExpired(outgoing)),
      error,
    );
    this.sending = this.sending.filter(({ outgoing }) => !isExpired(outgoing));
    for (let record = this.queue.first; record && isExpired(record); record = this.queue.first) {
      this.queue.shift();
      this.queuedBytes -= record.bytes;
      record.settle?.failed(error);
    }
  }

  private watchExpiry(): void {
    this.expiry = setTimeout(() => {
      this.expire();
      this.watchExpiry();
    }, expiryLookMs);
  }

  private failAll(error: unknown): undefined {
    for (let record = this.queue.shift(); record; record = this.queue.shift()) record.settle?.failed(error);
    this.queuedBytes = 0;
  }
}

const failAll = (records: readonly NumberedRecord[], error: unknown): void => {
  for (const { outgoing } of records) outgoing.settle?.failed(error);
};
