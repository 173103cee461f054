import { Buffer } from 'node:buffer';
import type { Message, Producer } from 'kafkajs';
import type { Lane } from '../hop/line.js';

/** The library copies a partition's list once for every record that it puts in: Roomwire does not send more either. */
const batchRecords = 1_000;
const fromAllReplicas = -1;

/** One batch on its way, and what comes meanwhile goes into the next. */
export class PlainLane implements Lane {
  sent = 0;
  acknowledged = 0;
  failure: unknown;
  readonly #producer: Producer;
  readonly #topic: string;
  readonly #data: Buffer;
  readonly #onProgress: () => void;
  #queue: Message[] = [];
  #isRunning = false;

  constructor(producer: Producer, topic: string, data: Buffer, onProgress: () => void) {
    this.#producer = producer;
    this.#topic = topic;
    this.#data = data;
    this.#onProgress = onProgress;
  }

  send(stamps: readonly number[]): void {
    this.sent += stamps.length;
    for (const stamp of stamps) {
      const value = Buffer.from(this.#data);
      value.writeDoubleLE(stamp);
      this.#queue.push({ value, partition: 0 });
    }
    if (!this.#isRunning) void this.#run().catch((error: unknown) => (this.failure = error));
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // What else is sent in this turn of the loop.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      const messages = this.#queue.splice(0, batchRecords);
      await this.#producer.send({ topic: this.#topic, acks: fromAllReplicas, messages });
      this.acknowledged += messages.length;
      this.#onProgress();
    }
    this.#isRunning = false;
  }
}
