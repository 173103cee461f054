import { expect } from 'chai';
import type {
  ConsumerEvents,
  GroupConsumer,
  GroupConsumerOptions,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaClient';
import { createRecordingLogger, type RecordedLine } from '@roomwire/testing/fakes/loggers';
import { KafkaRecords } from '../../src/ingest/kafkaRecords.js';
import type { SourceRecord } from '../../src/ingest/sourceRecord.js';

/** A member of a group, driven by the test. */
class FakeConsumer implements GroupConsumer {
  readonly sought: [number, number][] = [];
  readonly committed: [number, number][] = [];
  readonly paused = new Set<number>();
  events!: ConsumerEvents;
  failsToCommit = false;

  run(events: ConsumerEvents): Promise<void> {
    this.events = events;
    return Promise.resolve();
  }
  disconnect(): Promise<void> {
    return Promise.resolve();
  }
  seek(partition: number, offset: number): void {
    this.sought.push([partition, offset]);
  }
  pause(partitions: readonly number[]): void {
    for (const partition of partitions) this.paused.add(partition);
  }
  resume(partitions: readonly number[]): void {
    for (const partition of partitions) this.paused.delete(partition);
  }
  commit(offsets: ReadonlyMap<number, number>): Promise<void> {
    if (this.failsToCommit) return Promise.reject(new Error('REBALANCE_IN_PROGRESS'));
    this.committed.push(...offsets);
    return Promise.resolve();
  }
}

describe('KafkaRecords', () => {
  let consumer: FakeConsumer;
  let asked: GroupConsumerOptions[];
  let lines: RecordedLine[];
  let records: KafkaRecords;
  let stopping: AbortController;

  beforeEach(() => {
    consumer = new FakeConsumer();
    asked = [];
    stopping = new AbortController();
  });
  afterEach(() => records.close());

  const open = async (starts: readonly [number, number][] = []): Promise<AsyncIterator<SourceRecord>> => {
    const { logger, lines: told } = createRecordingLogger();
    lines = told;
    const context = {
      client: () => ({
        consumer: (options: GroupConsumerOptions) => {
          asked.push(options);
          return consumer;
        },
        bytesRead: 0,
        cut: () => undefined,
      }),
      outcome: { answered: () => undefined, doubted: () => Promise.resolve(true) },
      logger,
    };
    records = new KafkaRecords({ topic: 't', groupId: 'g', starts: new Map(starts), context, logger });
    const joined = records.start();
    consumer.events.joined([0, 1], 'first');
    await joined;
    return records.records(stopping.signal)[Symbol.asyncIterator]();
  };

  const give = (partition: number, offsets: readonly number[], highWatermark = 1_000_000): void => {
    const messages = offsets.map((offset) => ({
      ...{ offset: String(offset), timestamp: '0', key: null, value: Buffer.from('1') },
      headers: { region: [Buffer.from('eu'), 'us'], line: 'a' },
    }));
    consumer.events.take({ topic: 't', partition, highWatermark: String(highWatermark), messages });
  };

  const next = async (iterator: AsyncIterator<SourceRecord>, count: number): Promise<SourceRecord[]> => {
    const taken: SourceRecord[] = [];
    for (let n = 0; n < count; n += 1) taken.push((await iterator.next()).value as SourceRecord);
    return taken;
  };
  const places = (taken: readonly SourceRecord[]): string[] =>
    taken.map(({ partition, offset }) => `${partition}:${offset}`);

  it('reads as a member of the group, from the beginning where nothing is committed', async () => {
    await open();
    expect(asked).to.deep.equal([
      { topic: 't', groupId: 'g', fromBeginning: true, sessionTimeoutMs: 30_000 },
    ]);
    expect(consumer.sought).to.deep.equal([]);
  });

  it('gives the records in their order, as they come, and commits what is done with', async () => {
    const iterator = await open();
    const first = iterator.next();
    give(0, [5, 6]);
    give(1, [9]);
    const taken = [(await first).value as SourceRecord, ...(await next(iterator, 2))];
    expect(places(taken)).to.deep.equal(['0:5', '0:6', '1:9']);
    expect(consumer.committed).to.deep.equal([]);
    await records.done(taken);
    expect(consumer.committed).to.deep.equal([
      [0, 7],
      [1, 10],
    ]);
  });

  it('knows the first value of a header', async () => {
    const iterator = await open();
    give(0, [1]);
    const [record] = await next(iterator, 1);
    const header = (name: string): string | undefined => record?.header(name)?.toString();
    expect([header('region'), header('line'), header('toString')]).to.deep.equal(['eu', 'a', undefined]);
  });

  it('begins a new group where it is told to, and commits that while nothing was read', async () => {
    const starts = [
      [0, 40],
      [1, 0],
    ] as [number, number][];
    await open(starts);
    expect(consumer.sought).to.deep.equal(starts);
    give(1, [0]);
    await records.commitStarts(new Map(starts));
    expect(consumer.committed).to.deep.equal([[0, 40]]);
    consumer.events.joined([0, 1], 'second');
    expect(consumer.sought, 'not again').to.have.length(2);
  });

  it('goes on where it was when the group rebalances, and gives no record again', async () => {
    const iterator = await open();
    give(0, [5, 6]);
    consumer.events.joined([0], 'first');
    expect(consumer.sought).to.deep.equal([[0, 7]]);
    give(0, [6, 7]);
    expect(places(await next(iterator, 3))).to.deep.equal(['0:5', '0:6', '0:7']);
  });

  it('neither gives nor commits records of partitions that others have got', async () => {
    const iterator = await open();
    give(0, [5]);
    give(1, [8, 9]);
    const taken = await next(iterator, 2);
    consumer.events.joined([0], 'first');
    give(0, [6]);
    expect(places(await next(iterator, 1)), 'without 1:9').to.deep.equal(['0:6']);
    await records.done(taken);
    expect(consumer.committed).to.deep.equal([[0, 6]]);
  });

  it('begins anew as another member, since others may have been further meanwhile', async () => {
    const iterator = await open();
    give(0, [5, 6]);
    consumer.events.joined([0, 1], 'second');
    expect(consumer.sought).to.deep.equal([]);
    give(0, [6]);
    expect(places(await next(iterator, 1))).to.deep.equal(['0:6']);
  });

  it('takes gaps for what they are, and a topic that was made again for a new one', async () => {
    const iterator = await open();
    give(0, [5, 8]);
    give(0, [0, 1], 2);
    expect(places(await next(iterator, 4))).to.deep.equal(['0:5', '0:8', '0:0', '0:1']);
    expect(lines.map(({ level }) => level)).to.deep.equal(['warn']);
  });

  it('stops reading while much is waiting, and reads on when all was taken', async () => {
    const iterator = await open();
    const offsets = Array.from({ length: 1_000 }, (_, offset) => offset);
    give(0, offsets);
    expect([...consumer.paused]).to.deep.equal([0, 1]);
    await next(iterator, 1_000);
    const more = iterator.next();
    expect([...consumer.paused]).to.deep.equal([]);
    give(0, [1_000]);
    expect(places([(await more).value as SourceRecord])).to.deep.equal(['0:1000']);
  });

  it('goes on when a commit fails', async () => {
    const iterator = await open();
    give(0, [5, 6]);
    consumer.failsToCommit = true;
    await records.done(await next(iterator, 1));
    consumer.failsToCommit = false;
    await records.done(await next(iterator, 1));
    expect(consumer.committed).to.deep.equal([[0, 7]]);
  });

  it('ends when its signal aborts', async () => {
    const iterator = await open();
    const pending = iterator.next();
    stopping.abort();
    expect((await pending).done).to.equal(true);
  });
});
