import { expect } from 'chai';
import { createKafkaMessageStore } from '../../../src/adapters/message-store/kafkaMessageStore.js';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { messageStoreContract } from '@roomwire/testing/contracts/messageStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { testBrokers } from '@roomwire/testing/run/testProfile';
import { cable, kafkaUnderTest, withAdmin } from '../message-bus/kafkaUnderTest.js';
import { recorded } from './recorded.js';

describe('on the Kafka of this run', function () {
  this.timeout(60_000);
  before(() => void testBrokers());

  messageStoreContract('Kafka', async (clock) => {
    const kafka = kafkaUnderTest();
    const open = async () => {
      const bus = await kafka.open();
      const store = createKafkaMessageStore(bus, clock);
      const close = async () => {
        await store.close();
        await bus.close();
      };
      return { append: store.append.bind(store), replay: store.replay.bind(store), close };
    };
    return reopenable(open, () => kafka.dispose());
  });

  const everything = { sinceMs: 0, limit: 10_000 };

  it('a message that was stored twice because its answer was lost is replayed once', async () => {
    const kafka = kafkaUnderTest();
    const wire = cable();
    const store = createKafkaMessageStore(await kafka.open({ connect: wire.connect }));
    const ids = Array.from({ length: 500 }, (_, n) => `message ${n}`);
    for (let from = 0; from < ids.length; from += 100) {
      const appends = ids.slice(from, from + 100).map((id) => store.append(recorded(id), '7d'));
      wire.loseAnswers(50);
      await Promise.all(appends);
    }
    const { count, pages } = await store.replay(recorded('').topic, everything);
    const replayed: string[] = [];
    for await (const page of pages) replayed.push(...page.map(({ message }) => message.id));
    expect(replayed).to.deep.equal(ids);
    expect(count).to.equal(ids.length);
    const [copies] = await storedCounts(kafka.prefix);
    expect(copies).to.be.greaterThan(ids.length);
    await kafka.dispose();
  });

  it('of gateways whose clocks differ, the messages since a time are replayed in the order of the topic', async () => {
    const kafka = kafkaUnderTest();
    const bus = await kafka.open();
    const [ahead, behind] = [new ManualClock(Date.now()), new ManualClock(Date.now())];
    ahead.pass(500);
    const stores = [createKafkaMessageStore(bus, ahead), createKafkaMessageStore(bus, behind)] as const;
    for (let n = 0; n < 10; n += 1) await stores[n % 2 === 0 ? 0 : 1].append(recorded(String(n)), '7d');
    const { count, pages } = await stores[1].replay(recorded('').topic, { sinceMs: ahead.now(), limit: 4 });
    const replayed: string[] = [];
    for await (const page of pages) replayed.push(...page.map(({ message }) => message.id));
    expect([count, replayed]).to.deep.equal([4, ['2', '4', '6', '8']]);
    await kafka.dispose();
  });

  it('messages that expire during a replay are skipped, and the others are replayed', async () => {
    const kafka = kafkaUnderTest();
    const store = createKafkaMessageStore(await kafka.open());
    // More than one fetch, so that the rest is read after earlier messages have expired.
    const body = new Uint8Array(300_000);
    for (let n = 0; n < 10; n += 1) await store.append({ ...recorded(String(n)), body }, '1d');
    const { count, pages } = await store.replay(recorded('').topic, everything);
    const topic = `${kafka.prefix}recorded-1d`;
    await withAdmin(async (admin) => {
      const ends = await admin.fetchTopicOffsets(topic);
      const { partition } = ends.find(({ high }) => high === '10') ?? { partition: -1 };
      await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: '7' }] });
    });
    const replayed: string[] = [];
    for await (const page of pages) replayed.push(...page.map(({ message }) => message.id));
    expect([count, replayed]).to.deep.equal([10, ['7', '8', '9']]);
    await kafka.dispose();
  });
});

const storedCounts = (prefix: string): Promise<readonly number[]> =>
  withAdmin(async (admin) => {
    const ends = await admin.fetchTopicOffsets(`${prefix}recorded-7d`);
    return ends.map(({ high }) => Number(high)).sort((a, b) => b - a);
  });
