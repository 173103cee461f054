import { setTimeout as pause } from 'node:timers/promises';
import type { ProducerRecord } from 'kafkajs';
import type { Acknowledgement } from '../../../ports/messageBus.js';
import { EngineUnavailable } from '../../../ports/errors.js';
import { done } from '../channelHub.js';
import { FifoQueue } from '../fifoQueue.js';
import {
  asMessages,
  recordOverheadBytes,
  takeBatch,
  type Outgoing,
  type Placed,
  type Settle,
} from './outgoingBatch.js';
import { RecordNumbers } from './recordId.js';
import { traceHeaders, traceHeaderBytes } from './traceHeader.js';
import { isAnswer, pauseBeforeAttempt } from './untilAnswered.js';

export interface TopicSenderOptions {
  readonly topic: string;
  /** Resolves when the topic is there. */
  readonly partitions: () => Promise<number>;
  /** One attempt. */
  readonly produce: (records: ProducerRecord) => Promise<unknown>;
  readonly reachability: { readonly isReachable: boolean };
  readonly maxRecordBytes: number;
  /** How long a record waits to be stored before its sender is told that the brokers cannot be reached. */
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

/** The leader's answer paces the batches even when nobody waits for it: without, a frozen broker would fill our memory. */
const fromLeader = 1;
const fromAllReplicas = -1;

const expiryLookMs = 500;

/**
 * All records of this process to one topic, in the order of the calls: one batch is on its way, and what comes
 * meanwhile goes into the next. A batch that failed is sent again as it was before anything after it, so that
 * order holds and readers can tell a second copy.
 */
export class TopicSender {
  private readonly options: TopicSenderOptions;
  private readonly numbers = new RecordNumbers();
  private readonly queue = new FifoQueue<Outgoing>();
  private queuedBytes = 0;
  /** On their way, without those whose senders were told that it failed. */
  private sending: readonly Placed[] = [];
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
    // Gathers what the other callers of this turn of the loop send.
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

  private async attempt(records: readonly Placed[]): Promise<void> {
    const { topic, produce } = this.options;
    const acks = records.some(({ outgoing }) => outgoing.settle) ? fromAllReplicas : fromLeader;
    await produce({ topic, acks, messages: asMessages(records, this.numbers) });
  }

  /** Its senders have waited long enough, while an attempt hangs or between two. */
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

const failAll = (records: readonly Placed[], error: unknown): void => {
  for (const { outgoing } of records) outgoing.settle?.failed(error);
};
