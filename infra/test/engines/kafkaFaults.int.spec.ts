import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  openKafkaMessageBus,
  type KafkaMessageBus,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import type { Channel, WorkQueue } from '@roomwire/shared/ports/messageBus';
import { eventually } from '@roomwire/shared/testing/eventually';
import { expect } from 'chai';
import { startKafka, type KafkaEngine } from '../../src/engines/kafka.js';

interface Numbered {
  readonly key: string;
  readonly number: number;
}

const codec = {
  encode: (record: Numbered) => Buffer.from(JSON.stringify(record)),
  decode: (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as Numbered,
};
const channel: Channel<Numbered> = { name: 'numbers', key: ({ key }) => key, codec };
const queue: WorkQueue<Numbered> = { ...channel, name: 'number-jobs', delayMs: 0 };

const betweenSendsMs = 5;

/** What was promised, and what became of it. */
interface Ledger {
  readonly stored: number[];
  readonly refusedAfterMs: number[];
  readonly put: number[];
  readonly delivered: number[];
  readonly done: Set<number>;
  readonly lastStoredAt: () => number;
  /** Resolves when every send has its outcome. */
  readonly stop: () => Promise<void>;
}

/** Sends and puts without a pause, from one process to another. */
const keepBusy = async (sender: KafkaMessageBus, receiver: KafkaMessageBus): Promise<Ledger> => {
  const [stored, refusedAfterMs, put, delivered]: [number[], number[], number[], number[]] = [[], [], [], []];
  const done = new Set<number>();
  const outcomes = new Set<Promise<void>>();
  let lastStoredAt = 0;
  await receiver.read(channel, { interest: 'all' }, ({ number }) => delivered.push(number));
  await receiver.work(queue, { concurrency: 10 }, async ({ number }) => void done.add(number));

  const send = async (record: Numbered): Promise<void> => {
    const from = performance.now();
    const isStored = await sender.send(channel, record, 'stored').then(
      () => true,
      () => false,
    );
    lastStoredAt = isStored ? performance.now() : lastStoredAt;
    if (isStored) stored.push(record.number);
    else refusedAfterMs.push(performance.now() - from);
  };
  const putJob = async (job: Numbered): Promise<void> => {
    const isPut = await sender.put(queue, job).then(
      () => true,
      () => false,
    );
    if (isPut) put.push(job.number);
  };
  let number = 0;
  const timer = setInterval(() => {
    number += 1;
    const record = { key: `key ${number % 7}`, number };
    for (const outcome of [send(record), ...(number % 5 ? [] : [putJob(record)])]) {
      outcomes.add(outcome);
      void outcome.finally(() => outcomes.delete(outcome));
    }
  }, betweenSendsMs);
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    while (outcomes.size > 0) await Promise.all(outcomes);
  };
  return { stored, refusedAfterMs, put, delivered, done, lastStoredAt: () => lastStoredAt, stop };
};

const listens = async (brokers: string): Promise<void> => {
  const answers = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(Number(brokers.split(':')[1]), '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
    });
  await eventually(answers, { withinMs: 60_000, what: 'the port of the broker' });
};

describe('the bus on Kafka', function () {
  this.timeout(180_000);
  let engine: KafkaEngine;
  let sender: KafkaMessageBus;
  let receiver: KafkaMessageBus;

  const open = (): Promise<KafkaMessageBus> =>
    openKafkaMessageBus({
      brokers: [engine.brokers],
      clientId: 'roomwire-test',
      topics: [],
      sessionTimeoutMs: 6_000,
      withinMs: 4_000,
    });
  const expectNothingLost = async ({ stored, put, delivered, done }: Ledger): Promise<void> => {
    const isDelivered = (): boolean => {
      const seen = new Set(delivered);
      return stored.every((number) => seen.has(number));
    };
    await eventually(isDelivered, { withinMs: 20_000, what: 'everything that was stored' });
    await eventually(() => put.every((number) => done.has(number)), { withinMs: 20_000, what: 'every job' });
    expect(new Set(delivered).size, 'each once').to.equal(delivered.length);
    for (let key = 0; key < 7; key += 1) {
      const ofKey = delivered.filter((number) => number % 7 === key);
      expect(ofKey).to.deep.equal([...ofKey].sort((a, b) => a - b));
    }
  };

  before(async () => {
    engine = await startKafka();
  });
  beforeEach(async () => {
    sender = await open();
    receiver = await open();
  });
  afterEach(() => Promise.all([sender.close(), receiver.close()]));
  after(() => engine.close());

  it('loses nothing that it said was stored when the broker is killed, and resumes within 5 s', async () => {
    const ledger = await keepBusy(sender, receiver);
    await eventually(() => ledger.stored.length > 300);
    await engine.kill('SIGKILL');
    await eventually(() => ledger.refusedAfterMs.length > 0, { withinMs: 10_000 });
    expect(sender.reachable).to.equal(false);
    const restarted = engine.restart();
    await listens(engine.brokers);
    const listensAt = performance.now();
    await eventually(() => ledger.lastStoredAt() > listensAt, { withinMs: 15_000, what: 'the first send' });
    expect(ledger.lastStoredAt() - listensAt).to.be.lessThan(5_000);
    await restarted;
    await eventually(() => sender.reachable && receiver.reachable);
    await ledger.stop();
    await expectNothingLost(ledger);
    expect(Math.max(...ledger.refusedAfterMs), 'the longest wait for a refusal').to.be.lessThan(8_000);
  });

  it('refuses in time when the broker is frozen, and resumes within 5 s after it goes on', async () => {
    const ledger = await keepBusy(sender, receiver);
    await eventually(() => ledger.stored.length > 300);
    engine.pause();
    await eventually(() => ledger.refusedAfterMs.length > 100, { withinMs: 10_000 });
    await eventually(() => !sender.reachable && !receiver.reachable, { withinMs: 15_000 });
    await pause(8_000);
    engine.resume();
    const resumedAt = performance.now();
    await eventually(() => ledger.lastStoredAt() > resumedAt, { withinMs: 15_000, what: 'the first send' });
    expect(ledger.lastStoredAt() - resumedAt).to.be.lessThan(5_000);
    await eventually(() => sender.reachable && receiver.reachable);
    await ledger.stop();
    await expectNothingLost(ledger);
    expect(Math.max(...ledger.refusedAfterMs)).to.be.lessThan(8_000);
  });

  it('says that it cannot be opened while no broker answers', async () => {
    const outcome = await openKafkaMessageBus({
      brokers: ['127.0.0.1:9'],
      clientId: 'roomwire-test',
      withinMs: 500,
    }).catch(String);
    expect(outcome).to.equal('EngineUnavailable: The message bus cannot be reached');
  });
});
