import { setTimeout as pause } from 'node:timers/promises';
import { FifoQueue } from '../fifoQueue.js';
import { bytesOf, partitionOf, RecordNumbers, type Carried } from './recordFormat.js';
import { unknownOffset, type Acknowledgement } from '../../../ports/messageBus.js';
import { EngineUnavailable } from '../../../ports/errors.js';
import { sent } from '../channelHub.js';
import { refusalOf, type ForLeader, type Leaders, type WriteAnswers } from './kafkaClient.js';
import {
  Lane,
  messagesOf,
  takeBatch,
  type NumberedRecord,
  type Outgoing,
  type Settle,
} from './partitionLane.js';
import type { Reachability } from './reachability.js';
import { isAnswer, pauseBeforeAttempt } from './renewableClient.js';
import type { TopicShape } from './topicCatalog.js';
import { TopicLeaders } from './topicLeaders.js';

/** Maximum overhead per record: lengths, offset, timestamp and the Roomwire header. */
const recordOverheadBytes = 70;

export interface TopicSenderOptions {
  readonly topic: string;
  /** Resolves when the topic is there. */
  readonly shape: () => Promise<TopicShape>;
  /** As of now. */
  readonly leaders: () => Promise<Leaders>;
  /** One attempt. */
  readonly write: (leader: number, records: ForLeader) => Promise<WriteAnswers>;
  readonly reachability: Pick<Reachability, 'isReachable' | 'written' | 'writesDoubted'>;
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
  readonly headers?: Carried | undefined;
}

/** The leader's answer paces the batches even when no sender waits for it: without, a frozen broker would fill our memory. */
const fromLeader = 1;
const fromAllReplicas = -1;

const expiryLookMs = 500;

/** They are on the leader, which has lost its replicas meanwhile: sent again, they would be there twice. */
const appendedErrors = new Set(['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 'REQUEST_TIMED_OUT']);
const isAppended = (error: Error): boolean => appendedErrors.has(refusalOf(error) ?? '');

/**
 * All records of this process to one topic. Each leader has one request on its way, and what comes meanwhile goes into the
 * next: a leader that hangs, or a partition without one, holds up no other. In a partition the order is that of the
 * calls: a batch that failed is sent again as it was before anything after it, so that readers recognize a second copy.
 */
export class TopicSender {
  private readonly options: TopicSenderOptions;
  private readonly numbers = new RecordNumbers();
  /** Those that have no lane yet. */
  private readonly arrived = new FifoQueue<Outgoing>();
  private routing: Promise<void> | undefined;
  private lanes: readonly Lane[] = [];
  private fewestInSync = 1;
  /** With something to send, the one that has waited longest first. */
  private readonly ready = new Set<Lane>();
  private readonly leaders: TopicLeaders;
  /** Leaders with a request on its way. */
  private readonly busy = new Set<number>();
  private queuedBytes = 0;
  private flushed: (() => void)[] = [];
  private expiry: NodeJS.Timeout | undefined;

  constructor(options: TopicSenderOptions) {
    this.options = options;
    this.leaders = new TopicLeaders(options.leaders);
  }

  send(record: NewRecord, acknowledgement: Acknowledgement): Promise<number> {
    const headerBytes = record.headers === undefined ? 0 : bytesOf(record.headers);
    const bytes = record.key.length + record.value.length + recordOverheadBytes + headerBytes;
    const refusal = this.refusal(record, bytes, acknowledgement);
    if (refusal) return Promise.reject(refusal);
    if (acknowledgement === 'stored')
      return new Promise((stored, failed) => this.enqueue(record, bytes, { stored, failed }));
    this.enqueue(record, bytes, undefined);
    return sent;
  }

  /** Resolves when everything that was accepted is stored or has failed. */
  async flush(): Promise<void> {
    if (this.queuedBytes > 0) await new Promise<void>((resolve) => this.flushed.push(resolve));
  }

  /**
   * Whether any of its partitions does, as far as known. One that is the only one says nothing of the bus when it does not: a gateway
   * that has told others of itself and nothing else would refuse sessions for want of one leader.
   */
  get takesRecords(): boolean | undefined {
    if (!this.leaders.areKnown) return undefined;
    const isAny = this.lanes.some((lane) => this.leaders.mayTake(lane, this.fewestInSync));
    return isAny || (this.lanes.length > 1 ? false : undefined);
  }

  /** Asks who leads. */
  look(): Promise<void> {
    return this.leaders.look();
  }

  private refusal({ key }: NewRecord, bytes: number, acknowledgement: Acknowledgement): Error | undefined {
    const { topic, maxRecordBytes, maxQueuedBytes, reachability } = this.options;
    if (bytes > maxRecordBytes)
      return new RangeError(`A record of ${bytes} bytes is too large for the topic ${topic}`);
    const isFull = this.queuedBytes + bytes > maxQueuedBytes;
    const wouldBeLost = acknowledgement === 'none' && !(reachability.isReachable && this.isWritable(key));
    return isFull || wouldBeLost ? new EngineUnavailable('message bus') : undefined;
  }

  private isWritable(key: Buffer): boolean {
    return this.lanes.length === 0 || this.laneOf(key).failures === 0;
  }

  private laneOf(key: Buffer): Lane {
    return this.lanes[partitionOf(key, this.lanes.length)] as Lane;
  }

  private enqueue(record: NewRecord, bytes: number, settle: Settle | undefined): void {
    const { key, value, timestamp, headers } = record;
    const message: Outgoing['message'] = { key, value };
    if (timestamp !== undefined) message.timestamp = String(timestamp);
    if (headers !== undefined) message.headers = headers;
    const expiresAt = performance.now() + this.options.withinMs;
    this.arrived.push({ message, bytes, expiresAt, settle });
    this.queuedBytes += bytes;
    if (!this.expiry) this.watchExpiry();
    this.routing ??= this.route();
  }

  private async route(): Promise<void> {
    // Collects the records that other callers send in this turn of the event loop.
    await new Promise(setImmediate);
    try {
      if (this.lanes.length === 0) await this.open();
      if (!this.leaders.areKnown) await this.look();
    } catch (error) {
      this.failArrived(error);
    }
    this.routing = undefined;
    for (let record = this.arrived.shift(); record; record = this.arrived.shift()) {
      const lane = this.laneOf(record.message.key);
      lane.waiting.push(record);
      if (!lane.isTaken) this.ready.add(lane);
    }
    this.dispatch();
  }

  private async open(): Promise<void> {
    const { partitions, fewestInSync } = await this.options.shape();
    this.fewestInSync = fewestInSync;
    this.lanes = Array.from({ length: partitions }, (_, n) => new Lane(n));
  }

  private dispatch(): void {
    const byLeader = new Map<number, Lane[]>();
    for (const lane of this.ready) {
      const leader = this.leaders.of(lane.partition);
      if (leader === undefined) {
        this.refused(lane);
        void this.retry(lane);
      } else if (!this.busy.has(leader)) {
        const lanes = byLeader.get(leader);
        if (lanes) lanes.push(lane);
        else byLeader.set(leader, [lane]);
      }
    }
    for (const [leader, lanes] of byLeader) void this.sendTo(leader, takeBatch(lanes, this.numbers));
  }

  private async sendTo(leader: number, lanes: readonly Lane[]): Promise<void> {
    this.busy.add(leader);
    for (const lane of lanes) this.hold(lane);
    const answers = await this.attempt(leader, lanes);
    this.busy.delete(leader);
    for (const lane of lanes) this.settle(lane, answers.get(lane.partition));
    this.dispatch();
  }

  private attempt(leader: number, lanes: readonly Lane[]): Promise<WriteAnswers> {
    const isWaitedFor = lanes.some(({ sending }) => sending.some(({ outgoing }) => outgoing.settle));
    const partitions = lanes.map((lane) => ({
      partition: lane.partition,
      messages: messagesOf(lane, this.numbers),
    }));
    const acks = isWaitedFor ? fromAllReplicas : fromLeader;
    return this.options
      .write(leader, { topic: this.options.topic, acks, partitions })
      .catch((error: Error) => new Map(lanes.map(({ partition }) => [partition, error])));
  }

  private settle(lane: Lane, answer: number | Error | undefined): void {
    const error = answer instanceof Error ? answer : undefined;
    if (error && !isAnswer(error)) this.refused(lane);
    else this.taken(lane);
    if (!error) settleStored(lane, answer as number | undefined);
    else if (isAnswer(error)) failAll(lane.sending, error);
    else if (isAppended(error)) failAll(lane.sending, new EngineUnavailable('message bus', { cause: error }));
    else return void this.retry(lane);
    lane.sending = [];
    lane.failures = 0;
    this.release(lane);
  }

  private taken(lane: Lane): void {
    lane.refusedAt = undefined;
    this.options.reachability.written();
  }

  private refused(lane: Lane): void {
    lane.refusedAt = performance.now();
    void this.look();
    if (this.takesRecords === false) this.options.reachability.writesDoubted();
  }

  private async retry(lane: Lane): Promise<void> {
    this.hold(lane);
    lane.failures += 1;
    await pause(pauseBeforeAttempt(lane.failures));
    this.expire();
    if (lane.isEmpty) lane.failures = 0;
    this.release(lane);
    this.dispatch();
  }

  private hold(lane: Lane): void {
    this.ready.delete(lane);
    lane.isTaken = true;
  }

  private release(lane: Lane): void {
    lane.isTaken = false;
    if (lane.isEmpty) this.ready.delete(lane);
    else this.ready.add(lane);
    if (lane.sending.length > 0) return;
    this.forget(lane.sendingBytes);
    lane.sendingBytes = 0;
  }

  private forget(bytes: number): void {
    this.queuedBytes -= bytes;
    if (this.queuedBytes > 0) return;
    clearTimeout(this.expiry);
    this.expiry = undefined;
    for (const resolve of this.flushed.splice(0)) resolve();
  }

  /** Rejects the sends that have waited long enough, while an attempt hangs or between two. */
  private expire(): void {
    const now = performance.now();
    const isExpired = ({ expiresAt }: Outgoing): boolean => expiresAt <= now;
    const error = new EngineUnavailable('message bus');
    for (const lane of this.lanes) {
      failAll(
        lane.sending.filter(({ outgoing }) => isExpired(outgoing)),
        error,
      );
      lane.sending = lane.sending.filter(({ outgoing }) => !isExpired(outgoing));
    }
    for (const queue of [this.arrived, ...this.lanes.map(({ waiting }) => waiting)])
      for (let record = queue.first; record && isExpired(record); record = queue.first) {
        queue.shift();
        this.forget(record.bytes);
        record.settle?.failed(error);
      }
    for (const lane of this.lanes) if (!lane.isTaken) this.release(lane);
  }

  private watchExpiry(): void {
    this.expiry = setTimeout(() => {
      this.watchExpiry();
      this.expire();
    }, expiryLookMs);
  }

  private failArrived(error: unknown): void {
    for (let record = this.arrived.shift(); record; record = this.arrived.shift()) {
      this.forget(record.bytes);
      record.settle?.failed(error);
    }
  }
}

/** Those whose sends were rejected meanwhile have their offsets as well. */
const settleStored = ({ sending, firstSent }: Lane, firstOffset: number | undefined): void => {
  for (const { outgoing, number } of sending)
    outgoing.settle?.stored(firstOffset === undefined ? unknownOffset : firstOffset + number - firstSent);
};

const failAll = (records: readonly NumberedRecord[], error: unknown): void => {
  for (const { outgoing } of records) outgoing.settle?.failed(error);
};
