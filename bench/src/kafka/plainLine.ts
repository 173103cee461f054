import { connect } from 'node:net';
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Batch, type Consumer, Kafka, logLevel, type Message, type Producer } from 'kafkajs';
import { Arrivals, type Lane, type Line } from '../hop/line.js';
import { dataBytes } from '../generator/frames.js';

const plainKafka = (brokers: string): Kafka =>
  new Kafka({
    brokers: [brokers],
    clientId: 'plain',
    logLevel: logLevel.ERROR,
    socketFactory: ({ host, port, onConnect }) => connect(port, host, onConnect).setNoDelay(true),
  });

/** The library copies a partition's list once for every record that it puts in: Roomwire does not send more either. */
const batchRecords = 1_000;
const fromAllReplicas = -1;

/** One batch on its way, and what comes meanwhile goes into the next. */
class PlainLane implements Lane {
  sent = 0;
  acknowledged = 0;
  failure: unknown;
  private readonly producer: Producer;
  private readonly topic: string;
  private readonly data: Buffer;
  private readonly onProgress: () => void;
  private queue: Message[] = [];
  private isRunning = false;

  constructor(producer: Producer, topic: string, data: Buffer, onProgress: () => void) {
    this.producer = producer;
    this.topic = topic;
    this.data = data;
    this.onProgress = onProgress;
  }

  send(stamps: readonly number[]): void {
    this.sent += stamps.length;
    for (const stamp of stamps) {
      const value = Buffer.from(this.data);
      value.writeDoubleLE(stamp);
      this.queue.push({ value, partition: 0 });
    }
    if (!this.isRunning) void this.run().catch((error: unknown) => (this.failure = error));
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    // What else is sent in this turn of the loop.
    await new Promise(setImmediate);
    while (this.queue.length > 0) {
      const messages = this.queue.splice(0, batchRecords);
      await this.producer.send({ topic: this.topic, acks: fromAllReplicas, messages });
      this.acknowledged += messages.length;
      this.onProgress();
    }
    this.isRunning = false;
  }
}

const longestFetchWaitMs = 100;
const probeEveryMs = 100;

/** Producer and consumer in this process, with nothing around them. */
export class PlainLine implements Line {
  onProgress: (() => void) | undefined;
  readonly arrivals = new Arrivals(1);
  readonly lanes: PlainLane[] = [];
  private readonly topic = `plain-${randomUUID()}`;
  private readonly kafka: Kafka;
  private readonly closes: (() => Promise<void>)[] = [];

  private constructor(kafka: Kafka) {
    this.kafka = kafka;
  }

  static async open(brokers: string): Promise<PlainLine> {
    const line = new PlainLine(plainKafka(brokers));
    try {
      await line.makeTopic();
      await line.openProducer();
      await line.openConsumer();
      return line;
    } catch (error) {
      await line.close();
      throw error;
    }
  }

  check(): void {
    const { failure } = this.lanes[0] ?? {};
    if (failure !== undefined) throw new Error('Nothing more can be produced', { cause: failure });
  }

  async close(): Promise<void> {
    for (const close of this.closes.reverse()) await close();
  }

  private async makeTopic(): Promise<void> {
    const admin = this.kafka.admin();
    await admin.connect();
    await admin.createTopics({ waitForLeaders: true, topics: [{ topic: this.topic, numPartitions: 1 }] });
    await admin.disconnect();
  }

  private async openProducer(): Promise<void> {
    const producer = this.kafka.producer({
      allowAutoTopicCreation: false,
      createPartitioner: () => () => 0,
    });
    await producer.connect();
    this.closes.push(() => producer.disconnect());
    const data = Buffer.alloc(dataBytes, 0x2e);
    this.lanes.push(new PlainLane(producer, this.topic, data, () => this.onProgress?.()));
  }

  /** Resolves when what is sent comes back. */
  private async openConsumer(): Promise<void> {
    const groupId = randomUUID();
    const consumer = this.kafka.consumer({ groupId, maxWaitTimeInMs: longestFetchWaitMs });
    await consumer.connect();
    this.closes.push(() => consumer.disconnect());
    await consumer.subscribe({ topics: [this.topic], fromBeginning: true });
    await this.run(consumer);
    this.lanes[0]?.send([0]);
    while (this.arrivals.received === 0) {
      this.check();
      await wait(probeEveryMs);
    }
  }

  private run(consumer: Consumer): Promise<void> {
    return consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async (payload) => {
        this.take(payload.batch);
        payload.resolveOffset(payload.batch.lastOffset());
      },
    });
  }

  private take({ messages }: Batch): void {
    const now = performance.now();
    for (const { value } of messages) if (value) this.arrivals.take(value.readDoubleLE(), now);
    this.onProgress?.();
  }
}
