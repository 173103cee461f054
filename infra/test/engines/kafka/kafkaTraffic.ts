import { Buffer } from 'node:buffer';
import type { KafkaMessageBus } from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import type { Channel, WorkQueue } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '@roomwire/testing/run/eventually';
import { expect } from 'chai';

interface Numbered {
  readonly key: string;
  readonly number: number;
}

const codec = {
  encode: (record: Numbered) => Buffer.from(JSON.stringify(record)),
  decode: (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as Numbered,
};
export const numbers: Channel<Numbered> = { name: 'numbers', key: ({ key }) => key, codec };
export const numberJobs: WorkQueue<Numbered> = { ...numbers, name: 'number-jobs', delayMs: 0 };

/** A record's key is its number modulo this. */
export const keys = 7;
const betweenSendsMs = 5;
/** Of the records, as many are a job as well. */
const jobEvery = 5;

export interface Buses {
  readonly sender: KafkaMessageBus;
  readonly reader: KafkaMessageBus;
  /** They share the jobs. */
  readonly workers: readonly KafkaMessageBus[];
}

/** What was sent, what was promised, and what became of it. Times are of the monotonic clock. */
export class KafkaTraffic {
  readonly stored: number[] = [];
  readonly refusedAfterMs: number[] = [];
  readonly put: number[] = [];
  readonly delivered: number[] = [];
  readonly done: number[] = [];
  /** When a record was last stored, delivered and done that was sent not long before. */
  readonly last = { stored: 0, delivered: 0, done: 0 };
  private readonly sender: KafkaMessageBus;
  private readonly sentAt: number[] = [];
  private readonly outcomes = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  private constructor(sender: KafkaMessageBus) {
    this.sender = sender;
  }

  static async open({ sender, reader, workers }: Buses): Promise<KafkaTraffic> {
    const traffic = new KafkaTraffic(sender);
    await reader.read(numbers, { interest: 'all' }, ({ number }) => {
      traffic.delivered.push(number);
      traffic.last.delivered = traffic.sentAt[number] ?? 0;
    });
    for (const worker of workers)
      await worker.work(numberJobs, { concurrency: 10 }, async ({ number }) => {
        traffic.done.push(number);
        traffic.last.done = traffic.sentAt[number] ?? 0;
      });
    return traffic;
  }

  /** Sends and puts without a pause. */
  keepGoing(): void {
    this.timer = setInterval(() => this.send(), betweenSendsMs);
  }

  /** Resolves when every send has its outcome. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    while (this.outcomes.size > 0) await Promise.all(this.outcomes);
  }

  /** The next record, and now and then a job. */
  send(): void {
    const number = this.sentAt.push(performance.now()) - 1;
    const record = { key: `key ${number % keys}`, number };
    this.track(this.sendRecord(record));
    if (number % jobEvery === 0) this.track(this.putJob(record));
  }

  async expectNothingLost(): Promise<void> {
    await this.haveAll('record', this.stored, this.delivered);
    await this.haveAll('job', this.put, this.done);
    expect(new Set(this.delivered).size, 'each once').to.equal(this.delivered.length);
    expectOrderByKey(this.delivered);
    // A job may be done again; the first times are in order.
    expectOrderByKey([...new Set(this.done)]);
  }

  private haveAll(what: string, promised: readonly number[], had: readonly number[]): Promise<void> {
    const isComplete = (): boolean => {
      const seen = new Set(had);
      return promised.every((number) => seen.has(number));
    };
    return eventually(isComplete, { withinMs: 20_000, what: `every ${what} that was stored` });
  }

  private async sendRecord(record: Numbered): Promise<void> {
    const from = performance.now();
    try {
      await this.sender.send(numbers, record, 'stored');
      this.stored.push(record.number);
      this.last.stored = performance.now();
    } catch {
      this.refusedAfterMs.push(performance.now() - from);
    }
  }

  private async putJob(job: Numbered): Promise<void> {
    try {
      await this.sender.put(numberJobs, job);
      this.put.push(job.number);
    } catch {
      // Told that it is not stored: nothing was promised.
    }
  }

  private track(outcome: Promise<void>): void {
    this.outcomes.add(outcome);
    void outcome.finally(() => this.outcomes.delete(outcome));
  }
}

const expectOrderByKey = (got: readonly number[]): void => {
  for (let key = 0; key < keys; key += 1) {
    const ofKey = got.filter((number) => number % keys === key);
    expect(ofKey).to.deep.equal([...ofKey].sort((a, b) => a - b));
  }
};
