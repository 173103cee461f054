import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import fc from 'fast-check';
import { partitionByForeignClient } from '@roomwire/testing/engines/foreignKafka';
import type { RecordHeaders, StoredRecord } from '../../../src/adapters/message-bus/kafka/kafkaClient.js';
import {
  Lane,
  messagesOf,
  type Outgoing,
  takeBatch,
} from '../../../src/adapters/message-bus/kafka/partitionLane.js';
import { PartitionCursor } from '../../../src/adapters/message-bus/kafka/partitionCursor.js';
import { PartitionJobs } from '../../../src/adapters/message-bus/kafka/partitionJobs.js';
import {
  partitionOf,
  RecordNumbers,
  RepeatedRecords,
} from '../../../src/adapters/message-bus/kafka/recordFormat.js';

const message = (offset: number, headers: RecordHeaders = {}): StoredRecord => ({
  key: Buffer.from('a'),
  value: Buffer.from(`value ${offset}`),
  timestamp: '1700000000000',
  offset: String(offset),
  headers,
});
const batch = (from: number, to: number, highWatermark = to + 1) => ({
  messages: Array.from({ length: to - from + 1 }, (_, n) => message(from + n)),
  highWatermark: String(highWatermark),
});
const offsets = (messages: readonly StoredRecord[]): number[] => messages.map(({ offset }) => Number(offset));

describe('partitionOf', () => {
  it('equals the default partitioner of every Kafka client', () => {
    const property = fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.integer({ min: 1, max: 100 }),
      (key, count) => {
        expect(partitionOf(key, count)).to.equal(partitionByForeignClient(key, count));
      },
    );
    fc.assert(property, { seed: 20260214, numRuns: 500 });
  });
});

describe('RepeatedRecords', () => {
  /** What comes of a batch of so many records, stored from this offset on. */
  const read = (
    repeated: RepeatedRecords,
    from: number,
    { first, count }: { readonly first: RecordHeaders; readonly count: number },
  ): boolean[] =>
    Array.from({ length: count }, (_, n) => repeated.isRepeated(from + n, n === 0 ? first : {}));
  const batchOf = (numbers: RecordNumbers, count: number): { first: RecordHeaders; count: number } => {
    const [number] = Array.from({ length: count }, () => numbers.next(0));
    return { first: numbers.headers(number as number, count), count };
  };

  it('recognizes the duplicate of a batch, and what was sent after it', () => {
    const numbers = new RecordNumbers();
    const [first, second] = [batchOf(numbers, 3), batchOf(numbers, 2)];
    const repeated = new RepeatedRecords();
    expect(read(repeated, 10, first)).to.deep.equal([false, false, false]);
    expect(read(repeated, 13, first)).to.deep.equal([true, true, true]);
    expect(read(repeated, 16, second)).to.deep.equal([false, false]);
    expect(read(repeated, 18, first), 'a late copy').to.deep.equal([true, true, true]);
  });

  it('recognizes a duplicate that lacks expired records', () => {
    const numbers = new RecordNumbers();
    const whole = batchOf(numbers, 3);
    const rest = { first: numbers.headers(2, 2), count: 2 };
    const repeated = new RepeatedRecords();
    expect(read(repeated, 0, rest)).to.deep.equal([false, false]);
    expect(read(repeated, 2, whole)).to.deep.equal([true, true, true]);
  });

  it('passes records of other producers, also right behind a batch', () => {
    const numbers = new RecordNumbers();
    const repeated = new RepeatedRecords();
    read(repeated, 0, batchOf(numbers, 2));
    expect([2, 3].map((offset) => repeated.isRepeated(offset, {}))).to.deep.equal([false, false]);
    expect(repeated.isRepeated(4, undefined)).to.equal(false);
    expect(read(repeated, 5, batchOf(numbers, 2))).to.deep.equal([false, false]);
  });

  it('distinguishes producers', () => {
    const repeated = new RepeatedRecords();
    const [a, b] = [new RecordNumbers(), new RecordNumbers()];
    const seen = [a, b, a].flatMap((numbers, n) => read(repeated, n, batchOf(numbers, 1)));
    expect(seen).to.deep.equal([false, false, false]);
  });

  it('forgets the oldest producer when there are too many', () => {
    const repeated = new RepeatedRecords();
    const batches = Array.from({ length: 1_001 }, () => batchOf(new RecordNumbers(), 1));
    for (const [n, batch] of batches.entries()) read(repeated, n, batch);
    expect(read(repeated, 2_000, batches[1_000] as (typeof batches)[0])).to.deep.equal([true]);
    expect(read(repeated, 2_001, batches[0] as (typeof batches)[0])).to.deep.equal([false]);
  });
});

describe('PartitionCursor', () => {
  let cursor: PartitionCursor;

  beforeEach(() => {
    cursor = new PartitionCursor();
    cursor.begin(10);
  });

  it('delivers the records at its offset and after it, once', () => {
    expect(offsets(cursor.accept(batch(8, 12)).messages)).to.deep.equal([10, 11, 12]);
    expect(offsets(cursor.accept(batch(8, 12)).messages)).to.deep.equal([]);
    expect(offsets(cursor.accept(batch(12, 14)).messages)).to.deep.equal([13, 14]);
    expect(cursor.next).to.equal(15);
  });

  it('delivers nothing while it is not reading', () => {
    cursor.end();
    expect(cursor.accept(batch(10, 12)).messages).to.deep.equal([]);
    cursor.begin(20);
    expect(offsets(cursor.accept(batch(18, 21)).messages)).to.deep.equal([20, 21]);
  });

  it('makes the library seek back once after a jump ahead, then considers the records lost', () => {
    expect(cursor.accept(batch(15, 16))).to.deep.equal({ messages: [], behind: 10 });
    expect(cursor.next).to.equal(10);
    const accepted = cursor.accept(batch(15, 16));
    expect(offsets(accepted.messages)).to.deep.equal([15, 16]);
    expect(accepted.isLoss).to.equal(true);
    expect(cursor.accept(batch(19, 20)).behind, 'another jump').to.equal(17);
  });

  it('moves back with a truncated partition', () => {
    cursor.accept(batch(10, 20));
    const accepted = cursor.accept(batch(5, 6));
    expect(offsets(accepted.messages)).to.deep.equal([5, 6]);
    expect(accepted.isLoss).to.equal(true);
    expect(cursor.next).to.equal(7);
  });

  describe('with the sequence numbers of a producer', () => {
    const numbers = new RecordNumbers();
    /** A batch of five of its records, at this offset, without the first few. */
    const counted = (from: number, skipped = 0) => {
      const messages = [message(from, numbers.headers(10, 5)), ...batch(from + 1, from + 4).messages];
      return { messages: messages.slice(skipped), highWatermark: String(from + 5) };
    };

    it('delivers no duplicate', () => {
      expect(offsets(cursor.accept(counted(10)).messages)).to.deep.equal([10, 11, 12, 13, 14]);
      expect(offsets(cursor.accept(counted(15)).messages)).to.deep.equal([]);
      expect(cursor.next).to.equal(20);
    });

    it('knows the sequence number of records without the start of their batch, once it has seen that', () => {
      cursor.accept({ ...counted(10), messages: counted(10).messages.slice(0, 2) });
      expect(offsets(cursor.accept(counted(10, 2)).messages)).to.deep.equal([12, 13, 14]);
      expect(offsets(cursor.accept(counted(15)).messages)).to.deep.equal([]);
    });

    it('delivers what follows when it begins in the middle of a batch', () => {
      expect(offsets(cursor.accept(counted(8, 2)).messages)).to.deep.equal([10, 11, 12]);
      const copy = cursor.accept(counted(13));
      expect(offsets(copy.messages), 'not known to be a copy').to.deep.equal([13, 14, 15, 16, 17]);
    });

    it('does not treat a record at a reused offset as a duplicate', () => {
      cursor.accept(counted(10));
      expect(offsets(cursor.accept(batch(11, 12, 13)).messages), 'cut').to.deep.equal([11, 12]);
      cursor.end();
      cursor.begin(20);
      cursor.accept(counted(20));
      cursor.end();
      cursor.begin(20);
      expect(offsets(cursor.accept(batch(20, 22)).messages), 'created again').to.deep.equal([20, 21, 22]);
    });
  });
});

describe('PartitionJobs', () => {
  it('commits the offset before which everything is done', () => {
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

  it('commits nothing of a partition that another process owns', () => {
    const jobs = new PartitionJobs(0);
    for (const each of jobs.accept(batch(1, 2)).messages) jobs.finish(jobs.add(each));
    jobs.isLost = true;
    expect(jobs.toCommit).to.equal(undefined);
  });

  it('is full with a thousand jobs, and has space again when half of them are done', () => {
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
    message: { key: Buffer.from(key), value: Buffer.alloc(0) },
    bytes,
    expiresAt: 0,
    settle: undefined,
  });
  const lanesOf = (records: readonly Outgoing[], partitions = 1): Lane[] => {
    const lanes = Array.from({ length: partitions }, (_, n) => new Lane(n));
    for (const each of records) lanes[partitionOf(each.message.key, partitions)]?.waiting.push(each);
    return lanes;
  };
  const keysOf = (partitions: number): string[] =>
    Array.from({ length: partitions }, (_, partition) => {
      for (let n = 0; ; n += 1) if (partitionOf(Buffer.from(`${n}`), partitions) === partition) return `${n}`;
    });
  /** How many records go in each request, by lane. */
  const sizes = (lanes: readonly Lane[]): number[][] => {
    const taken: number[][] = [];
    while (lanes.some(({ isEmpty }) => !isEmpty)) {
      const batch = takeBatch(lanes, new RecordNumbers());
      taken.push(batch.map(({ sending }) => sending.length));
      for (const lane of batch) lane.sending = [];
    }
    return taken;
  };

  it('keeps a partition below the limit of the broker, and sends a larger record alone', () => {
    const records = [500_000, 300_000, 200_000, 2_000_000, 100, 100].map((bytes) => record('a', bytes));
    expect(sizes(lanesOf(records))).to.deep.equal([[2], [1], [1], [2]]);
  });

  it('lets no record overtake one of its partition that has to wait', () => {
    const [a = '', b = ''] = keysOf(2);
    const lanes = lanesOf([record(a, 800_000), record(a, 800_000), record(a, 10), record(b, 10)], 2);
    expect(sizes(lanes)).to.deep.equal([[1, 1], [2]]);
  });

  it('limits the number of records, and the total over all partitions', () => {
    expect(sizes(lanesOf(Array.from({ length: 2_500 }, () => record('a', 10))))).to.deep.equal([
      [1_000],
      [1_000],
      [500],
    ]);
    const spread = keysOf(60).map((key) => record(key, 100_000));
    expect(sizes(lanesOf(spread, 60)).map(({ length }) => length)).to.deep.equal([40, 20]);
  });

  it('sends a batch that failed again as it was', () => {
    const lanes = lanesOf([record('a', 10)]);
    const [lane] = takeBatch(lanes, new RecordNumbers());
    lane?.waiting.push(record('a', 10));
    expect(takeBatch(lanes, new RecordNumbers())[0]?.sending).to.have.lengthOf(1);
  });

  it('assigns each record a number in its partition', () => {
    const records = ['a', 'b', 'a'].map((key) => record(key, 1));
    const [a, b] = ['a', 'b'].map((key) => partitionOf(Buffer.from(key), 7));
    expect(a).not.to.equal(b);
    const numbers = takeBatch(lanesOf(records, 7), new RecordNumbers()).map(
      ({ partition, sending }) => [partition, sending.map(({ number }) => number)] as const,
    );
    expect(new Map(numbers)).to.deep.equal(
      new Map([
        [a, [1, 2]],
        [b, [1]],
      ]),
    );
  });

  it('writes the numbers into the headers of the first record of each partition', () => {
    const numbers = new RecordNumbers();
    const [lane] = takeBatch(lanesOf(['a', 'a'].map((key) => record(key, 1))), numbers) as [Lane];
    const headers = (): unknown[] => messagesOf(lane, numbers).map((each) => each.headers);
    expect(headers()).to.deep.equal([numbers.headers(1, 2), undefined]);
    lane.sending = lane.sending.slice(1);
    expect(headers()).to.deep.equal([numbers.headers(2, 1)]);
  });
});
