import { Buffer } from 'node:buffer';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import fc from 'fast-check';
import kafkajs, { type KafkaMessage } from 'kafkajs';
import { Fifo } from '../../../src/adapters/message-bus/fifo.js';
import { takeBatch, type Outgoing } from '../../../src/adapters/message-bus/kafka/outgoingBatch.js';
import { PartitionCursor } from '../../../src/adapters/message-bus/kafka/partitionCursor.js';
import { PartitionJobs } from '../../../src/adapters/message-bus/kafka/partitionJobs.js';
import { partitionOf } from '../../../src/adapters/message-bus/kafka/partitionOf.js';
import { quietRequestQueue } from '../../../src/adapters/message-bus/kafka/quietRequestQueue.js';
import { RecordNumbers, RepeatedRecords } from '../../../src/adapters/message-bus/kafka/recordId.js';

const message = (offset: number): KafkaMessage => ({
  key: Buffer.from('a'),
  value: Buffer.from(`value ${offset}`),
  timestamp: '1700000000000',
  attributes: 0,
  offset: String(offset),
  headers: {},
});
const batch = (from: number, to: number, highWatermark = to + 1) => ({
  messages: Array.from({ length: to - from + 1 }, (_, n) => message(from + n)),
  highWatermark: String(highWatermark),
});
const offsets = (messages: readonly KafkaMessage[]): number[] => messages.map(({ offset }) => Number(offset));

describe('partitionOf', () => {
  it('is where the default partitioner of every Kafka client puts the key', () => {
    const partitioner = kafkajs.Partitioners.DefaultPartitioner();
    const property = fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.integer({ min: 1, max: 100 }),
      (key, count) => {
        const partitionMetadata = Array.from({ length: count }, (_, partitionId) => ({
          partitionId,
          partitionErrorCode: 0,
          leader: 1,
          replicas: [1],
          isr: [1],
        }));
        const theirs = partitioner({
          topic: 'any',
          partitionMetadata,
          message: { key: Buffer.from(key), value: null },
        });
        expect(partitionOf(key, count)).to.equal(theirs);
      },
    );
    fc.assert(property, { seed: 20260214, numRuns: 500 });
  });
});

describe('RepeatedRecords', () => {
  it('knows a second copy, and lets through what has no number', () => {
    const numbers = new RecordNumbers();
    const [first, second, third] = [numbers.next(), numbers.next(), numbers.next()];
    const repeated = new RepeatedRecords();
    const seen = [first, second, first, second, third, undefined, {}].map((id) => repeated.isRepeated(id));
    expect(seen).to.deep.equal([false, false, true, true, false, false, false]);
  });

  it('tells senders apart', () => {
    const repeated = new RepeatedRecords();
    const [a, b] = [new RecordNumbers(), new RecordNumbers()];
    expect([a.next(), b.next(), a.next()].map((id) => repeated.isRepeated(id))).to.not.include(true);
  });

  it('forgets the sender it has known longest when there are too many', () => {
    const repeated = new RepeatedRecords();
    const senders = Array.from({ length: 1_001 }, () => new RecordNumbers().next());
    for (const id of senders) repeated.isRepeated(id);
    expect(repeated.isRepeated(senders[1_000])).to.equal(true);
    expect(repeated.isRepeated(senders[0])).to.equal(false);
  });
});

describe('PartitionCursor', () => {
  let cursor: PartitionCursor;

  beforeEach(() => {
    cursor = new PartitionCursor();
    cursor.begin(10);
  });

  it('hands over what is at its place and behind it, once', () => {
    expect(offsets(cursor.accept(batch(8, 12)).messages)).to.deep.equal([10, 11, 12]);
    expect(offsets(cursor.accept(batch(8, 12)).messages)).to.deep.equal([]);
    expect(offsets(cursor.accept(batch(12, 14)).messages)).to.deep.equal([13, 14]);
    expect(cursor.next).to.equal(15);
  });

  it('hands over nothing while it is not reading', () => {
    cursor.end();
    expect(cursor.accept(batch(10, 12)).messages).to.deep.equal([]);
    cursor.begin(20);
    expect(offsets(cursor.accept(batch(18, 21)).messages)).to.deep.equal([20, 21]);
  });

  it('sends the library back once when it has jumped ahead, then takes the records for lost', () => {
    expect(cursor.accept(batch(15, 16))).to.deep.equal({ messages: [], behind: 10 });
    expect(cursor.next).to.equal(10);
    const accepted = cursor.accept(batch(15, 16));
    expect(offsets(accepted.messages)).to.deep.equal([15, 16]);
    expect(accepted.isLoss).to.equal(true);
    expect(cursor.accept(batch(19, 20)).behind, 'another jump').to.equal(17);
  });

  it('goes back with a partition that was cut', () => {
    cursor.accept(batch(10, 20));
    const accepted = cursor.accept(batch(5, 6));
    expect(offsets(accepted.messages)).to.deep.equal([5, 6]);
    expect(accepted.isLoss).to.equal(true);
    expect(cursor.next).to.equal(7);
  });
});

describe('PartitionJobs', () => {
  it('commits the place before which everything is done', () => {
    const jobs = new PartitionJobs(0);
    expect(jobs.toCommit).to.equal(undefined);
    const [five, six, seven] = jobs.accept(batch(5, 7)).messages.map((each) => jobs.add(each));
    if (!five || !six || !seven) throw new Error('There are three');
    const committed: (number | undefined)[] = [jobs.toCommit];
    for (const job of [six, five, seven]) {
      jobs.finish(job);
      committed.push(jobs.toCommit);
    }
    expect(committed).to.deep.equal([5, 5, 7, 8]);
    jobs.committed(8);
    expect(jobs.toCommit).to.equal(undefined);
  });

  it('commits nothing of a partition that another process has', () => {
    const jobs = new PartitionJobs(0);
    for (const each of jobs.accept(batch(1, 2)).messages) jobs.finish(jobs.add(each));
    jobs.isLost = true;
    expect(jobs.toCommit).to.equal(undefined);
  });

  it('is full with a thousand jobs, and has room again when half of them are done', () => {
    const jobs = new PartitionJobs(0);
    const all = jobs.accept(batch(0, 1_000)).messages.map((each) => jobs.add(each));
    expect(jobs.isFull).to.equal(true);
    for (const job of all.slice(0, 500)) jobs.finish(job);
    expect([jobs.isFull, jobs.hasRoom]).to.deep.equal([false, false]);
    for (const job of all.slice(500, 501)) jobs.finish(job);
    expect(jobs.hasRoom).to.equal(true);
  });
});

describe('takeBatch', () => {
  const record = (key: string, bytes: number): Outgoing => ({
    message: { key: Buffer.from(key), value: null },
    bytes,
    expiresAt: 0,
    settle: undefined,
  });
  const queueOf = (records: readonly Outgoing[]): Fifo<Outgoing> => {
    const queue = new Fifo<Outgoing>();
    for (const each of records) queue.push(each);
    return queue;
  };
  const sizes = (queue: Fifo<Outgoing>, partitions = 1): number[] => {
    const taken: number[] = [];
    while (!queue.isEmpty) taken.push(takeBatch(queue, partitions).records.length);
    return taken;
  };

  it('keeps a partition below what a broker takes, and lets a larger record go alone', () => {
    const records = [500_000, 300_000, 200_000, 2_000_000, 100, 100].map((bytes) => record('a', bytes));
    expect(sizes(queueOf(records))).to.deep.equal([2, 1, 1, 2]);
  });

  it('lets nothing overtake a record that has to wait', () => {
    const queue = queueOf([record('a', 800_000), record('a', 800_000), record('b', 10)]);
    expect(sizes(queue, 2)).to.deep.equal([1, 2]);
  });

  it('limits the number of records, and what goes to all partitions together', () => {
    expect(sizes(queueOf(Array.from({ length: 2_500 }, () => record('a', 10))))).to.deep.equal([
      1_000, 1_000, 500,
    ]);
    const spread = Array.from({ length: 60 }, (_, n) => record(`key ${n}`, 100_000));
    expect(sizes(queueOf(spread), 60)).to.deep.equal([40, 20]);
  });

  it('says to which partition each record goes', () => {
    const { records } = takeBatch(queueOf([record('a', 1), record('b', 1)]), 7);
    expect(records.map(({ message: { partition } }) => partition)).to.deep.equal([
      partitionOf(Buffer.from('a'), 7),
      partitionOf(Buffer.from('b'), 7),
    ]);
  });
});

describe('quietRequestQueue', () => {
  interface Queue {
    pending: unknown[];
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    scheduleCheckPendingRequests(): void;
    destroy(): void;
  }
  const require = createRequire(import.meta.url);
  const RequestQueue = require('kafkajs/src/network/requestQueue') as new (options: object) => Queue;
  const options = { logger: { debug: () => undefined }, requestTimeout: 1_000, enforceRequestTimeout: false };

  const looksAgain = (pending: readonly unknown[]): boolean => {
    const queue = new RequestQueue(options);
    queue.pending = [...pending];
    queue.scheduleCheckPendingRequests();
    const looks = queue.throttleCheckTimeoutId !== null;
    queue.destroy();
    return looks;
  };

  it('lets an idle connection rest, and one with requests that wait look after them', () => {
    quietRequestQueue();
    expect([looksAgain([]), looksAgain(['a request'])]).to.deep.equal([false, true]);
  });
});
