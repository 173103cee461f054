import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Batch, Consumer, Kafka } from 'kafkajs';
import { dataBytes } from '../generator/message.js';
import { Arrivals } from '../hop/arrivals.js';
import type { Line } from '../hop/line.js';
import { plainKafka } from './plainKafka.js';
import { PlainLane } from './plainLane.js';

const longestFetchWaitMs = 100;
const probeEveryMs = 100;

/** Producer and consumer in this process, with nothing around them. */
export class PlainLine implements Line {
  onProgress: (() => void) | undefined;
  readonly arrivals = new Arrivals(1);
  readonly lanes: PlainLane[] = [];
  readonly #topic = `plain-${randomUUID()}`;
  readonly #kafka: Kafka;
  readonly #closes: (() => Promise<void>)[] = [];

  private constructor(kafka: Kafka) {
    this.#kafka = kafka;
  }

  static async open(brokers: string): Promise<PlainLine> {
    const line = new PlainLine(plainKafka(brokers));
    try {
      await line.#makeTopic();
      await line.#openProducer();
      await line.#openConsumer();
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
    for (const close of this.#closes.reverse()) await close();
  }

  async #makeTopic(): Promise<void> {
    const admin = this.#kafka.admin();
    await admin.connect();
    await admin.createTopics({ waitForLeaders: true, topics: [{ topic: this.#topic, numPartitions: 1 }] });
    await admin.disconnect();
  }

  async #openProducer(): Promise<void> {
    const producer = this.#kafka.producer({
      allowAutoTopicCreation: false,
      createPartitioner: () => () => 0,
    });
    await producer.connect();
    this.#closes.push(() => producer.disconnect());
    const data = Buffer.alloc(dataBytes, 0x2e);
    this.lanes.push(new PlainLane(producer, this.#topic, data, () => this.onProgress?.()));
  }

  /** Resolves when what is sent comes back. */
  async #openConsumer(): Promise<void> {
    const groupId = randomUUID();
    const consumer = this.#kafka.consumer({ groupId, maxWaitTimeInMs: longestFetchWaitMs });
    await consumer.connect();
    this.#closes.push(() => consumer.disconnect());
    await consumer.subscribe({ topics: [this.#topic], fromBeginning: true });
    await this.#run(consumer);
    this.lanes[0]?.send([0]);
    while (this.arrivals.received === 0) {
      this.check();
      await wait(probeEveryMs);
    }
  }

  #run(consumer: Consumer): Promise<void> {
    return consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async (payload) => {
        this.#take(payload.batch);
        payload.resolveOffset(payload.batch.lastOffset());
      },
    });
  }

  #take({ messages }: Batch): void {
    const now = performance.now();
    for (const { value } of messages) if (value) this.arrivals.take(value.readDoubleLE(), now);
    this.onProgress?.();
  }
}
