import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { KafkaHistoryPartitions } from '../../../src/adapters/history/kafkaHistoryPartitions.js';
import { eventually } from '@roomwire/testing/run/eventually';
import { IndexedHistory } from '../../../src/history/indexedHistory.js';
import {
  idOf,
  idsIn,
  kept,
  keptMessage,
  otherMessage,
  room,
  topicNamed,
} from '../../history/keptMessages.js';
import { MemoryHistoryIndex } from '../../history/memoryHistoryIndex.js';
import { PartitionLog } from './partitionLog.js';

const epoch = 7;
const news = topicNamed('news');
const unavailable = 'EngineUnavailable: The message history cannot be reached';

describe('the end of a partition on Kafka', () => {
  let log: PartitionLog;
  let index: MemoryHistoryIndex;
  let partitions: KafkaHistoryPartitions;
  let history: IndexedHistory;

  const open = (limits = { messages: 20, bytes: 1_000_000, totalBytes: 1_000_000 }): void => {
    partitions = new KafkaHistoryPartitions({ partitions: log, index, limits });
    history = new IndexedHistory(index, partitions);
  };
  const archive = (next: number, of = epoch): Promise<void> =>
    index.append(
      0,
      log
        .from(0, next)
        .flatMap(({ offset, headers }) =>
          headers === undefined ? [] : [{ offset: Number(offset), message: keptMessage(Number(offset)) }],
        ),
      { epoch: of, next },
    );
  const publish = (from: number, to: number): void => {
    for (let n = from; n < to; n += 1) log.publish(keptMessage(n));
  };
  const looked = async (): Promise<readonly string[]> => idsIn(await history.look(news));
  const ids = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from }, (_, n) => idOf(from + n));

  beforeEach(() => {
    log = new PartitionLog();
    index = new MemoryHistoryIndex();
    open();
  });

  it('[WS-HIST-3] has all that was published before the call, wherever the index is', async () => {
    publish(0, 5);
    await archive(0);
    expect(await looked()).to.eql(ids(0, 5));
    publish(5, 9);
    await archive(7);
    const view = await history.look(news);
    expect([view.upTo, view.epoch, partitions.epochOf(room)]).to.eql([8, epoch, epoch]);
    expect(await idsIn(view)).to.eql(ids(0, 9));
    await archive(9);
    expect(await looked()).to.eql(ids(0, 9));
  });

  it('[WS-HIST-13] waits until the index has all that was published before the call, and not forever', async () => {
    publish(0, 5);
    await archive(3);
    partitions = new KafkaHistoryPartitions({ partitions: log, index, indexWaitMs: 50 });
    expect(await partitions.indexed().catch(String)).to.equal(unavailable);
    let isIndexed = false;
    partitions = new KafkaHistoryPartitions({ partitions: log, index });
    const indexed = partitions.indexed().then(() => (isIndexed = true));
    await eventually(() => log.asked.bounds === 2);
    await new Promise(setImmediate);
    publish(5, 9);
    expect(isIndexed).to.equal(false);
    await archive(5);
    await indexed;
  });

  it('leaves out messages that are not kept, those of other topics, and what cannot be read', async () => {
    await archive(0);
    log.publish(otherMessage(1), keptMessage(2, 'other'), keptMessage(3));
    const elsewhere = { room: 'elsewhere', topic: 'elsewhere/news', kept: { ...kept, roomId: 'another' } };
    log.publish(keptMessage(4, 'news', elsewhere));
    log.publish({ ...keptMessage(5), filters: 7 as never });
    expect(await looked()).to.eql([idOf(3)]);
    expect(await idsIn(await history.look(topicNamed('other')))).to.eql([idOf(2)]);
  });

  it('asks once for all who ask at once, and reads no more than has come since', async () => {
    publish(0, 6);
    await archive(0);
    await Promise.all(Array.from({ length: 100 }, looked));
    expect(log.asked).to.eql({ bounds: 2, records: 2 });
    publish(6, 7);
    await looked();
    expect(log.asked).to.eql({ bounds: 3, records: 3 });
  });

  it('goes on behind the index where that is far ahead', async () => {
    publish(0, 3);
    await archive(0);
    await looked();
    publish(3, 30);
    await archive(30);
    expect(await looked()).to.eql(ids(0, 30));
    expect(log.asked.records).to.equal(1);
  });

  it('is away while the index has nothing of the partition', async () => {
    publish(0, 1);
    expect(await looked().catch(String)).to.equal(unavailable);
  });

  it('is away where records are gone that the index lacks, and never has a hole', async () => {
    publish(0, 9);
    await archive(3);
    log.expireTo(4);
    expect(await looked().catch(String)).to.equal(unavailable);
    await archive(4, epoch + 1);
    const view = await history.look(news);
    expect([view.epoch, view.upTo]).to.eql([epoch + 1, 8]);
  });

  it('is away where the partition ends before the index', async () => {
    publish(0, 3);
    await archive(3);
    await looked();
    log.recreate();
    publish(10, 11);
    expect(await looked().catch(String)).to.equal(unavailable);
  });

  it('remembers of what is in the index no more than there is room for', async () => {
    open({ messages: 4, bytes: 1_000_000, totalBytes: 1_000_000 });
    await archive(0);
    for (let next = 0; next < 40; next += 4) {
      publish(next, next + 4);
      expect(await looked()).to.eql(ids(0, next + 4));
      await archive(next + 4);
    }
  });

  it('is away while more waits for the index than there is room for', async () => {
    open({ messages: 4, bytes: 1_000_000, totalBytes: 1_000_000 });
    publish(0, 10);
    await archive(0);
    expect(await looked().catch(String)).to.equal(unavailable);
    await archive(8);
    expect(await looked()).to.eql(ids(0, 10));
  });

  it('keeps nothing of what was fetched with a message', async () => {
    await archive(0);
    log.publish(keptMessage(0, 'news', { body: Uint8Array.of(1, 2, 3) }));
    const { tail } = await partitions.endOf(room);
    const [record] = tail.messagesOf(news);
    expect(Buffer.from(record?.message.body ?? []).toString('hex')).to.equal('010203');
    expect(record?.message.body.buffer.byteLength).to.equal(3);
  });
});
