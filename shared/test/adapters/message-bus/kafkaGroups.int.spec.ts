import { expect } from 'chai';
import type {
  GroupBatch,
  GroupFollower,
  GroupReading,
} from '../../../src/adapters/message-bus/kafka/groupReader.js';
import type { KafkaMessageBus } from '../../../src/adapters/message-bus/kafka/kafkaMessageBus.js';
import { RecordNumbers } from '../../../src/adapters/message-bus/kafka/recordFormat.js';
import type { Channel } from '../../../src/wire/bus/channel.js';
import { foreignKafka } from '@roomwire/testing/engines/foreignKafka';
import { testBrokers } from '@roomwire/testing/run/testProfile';
import { eventually } from '@roomwire/testing/run/eventually';
import { cable, kafkaUnderTest, partitions, withAdmin, type KafkaUnderTest } from './kafkaUnderTest.js';

interface Line {
  readonly key: string;
  readonly text: string;
}

const lines: Channel<Line> = {
  name: 'lines',
  key: ({ key }) => key,
  codec: {
    encode: ({ text }) => Buffer.from(text),
    decode: (bytes) => ({ key: '', text: Buffer.from(bytes).toString() }),
  },
};

const within = { withinMs: 40_000 };

/** Keeps the records and the offsets, as a program would on disk. */
class Keeper implements GroupFollower {
  readonly offsets: Map<number, number>;
  readonly batches: GroupBatch[] = [];
  readonly isCut: number[] = [];
  readonly texts: string[] = [];

  constructor(offsets = new Map<number, number>()) {
    this.offsets = offsets;
  }

  nextOffset = (partition: number) => this.offsets.get(partition);
  take = (batch: GroupBatch): void => {
    this.batches.push(batch);
    this.offsets.set(batch.partition, batch.next);
    this.texts.push(...batch.messages.map(({ value }) => String(value)));
  };
  lost = (): void => undefined;
  cut = (partition: number): void => void this.isCut.push(partition);
}

describe('groups that store their offsets, on Kafka', function () {
  this.timeout(90_000);
  let kafka: KafkaUnderTest;
  let bus: KafkaMessageBus;
  let topic: string;

  beforeEach(async () => {
    kafka = kafkaUnderTest();
    topic = `${kafka.prefix}lines`;
    bus = await kafka.open();
  });
  afterEach(() => kafka.dispose());

  const follow = (keeper: Keeper, by = bus): Promise<GroupReading> => by.follow(lines, 'keepers', keeper);
  const send = async (count: number, name: string): Promise<readonly string[]> => {
    const texts = Array.from({ length: count }, (_, n) => `${name} ${n}`);
    await Promise.all(texts.map((text, n) => bus.send(lines, { key: `key ${n % 50}`, text }, 'stored')));
    return texts;
  };
  /** Past the bus, to one partition. */
  const withProducer = async (
    action: (producer: ReturnType<ReturnType<typeof foreignKafka>['producer']>) => Promise<unknown>,
  ): Promise<void> => {
    const producer = foreignKafka(testBrokers()).producer();
    await producer.connect();
    await action(producer).finally(() => producer.disconnect());
  };

  it('receive every record once in total, over members that join, leave and die', async () => {
    const offsets = new Map<number, number>();
    const sent = [...(await send(500, 'first'))];
    const [one, two] = [new Keeper(offsets), new Keeper(offsets)];
    const wire = cable();
    const dying = await kafka.open({ connect: wire.connect });
    await follow(one, dying);
    await eventually(() => one.texts.length === 500, within);
    sent.push(...(await send(500, 'second')));
    const second = await follow(two);
    await eventually(async () => {
      sent.push(...(await send(50, `more ${sent.length}`)));
      return two.texts.length > 0;
    }, within);
    wire.cut();
    sent.push(...(await send(500, 'third')));
    const count = (): number => one.texts.length + two.texts.length;
    await eventually(() => count() >= sent.length, within);
    await second.close();
    expect([...one.texts, ...two.texts].sort()).to.eql([...sent].sort());
  });

  it('receive every record once although their connections are cut repeatedly', async () => {
    await send(1, 'makes the topic');
    const wire = cable();
    const keeper = new Keeper();
    await follow(keeper, await kafka.open({ connect: wire.connect }));
    const sent: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      sent.push(...(await send(300, `round ${round}`)));
      await eventually(() => keeper.texts.length > 300 * round + 1, within);
      wire.interrupt();
    }
    await eventually(() => keeper.texts.length > sent.length, within);
    expect(keeper.texts.slice().sort()).to.eql([...sent, 'makes the topic 0'].sort());
  });

  it('resume where their follower is, whatever was committed, and commit for others to see', async () => {
    const sent = await send(200, 'x');
    const keeper = new Keeper();
    const reading = await follow(keeper);
    await eventually(() => keeper.texts.length === sent.length, within);
    await reading.commit(keeper.offsets);
    const groupId = `roomwire.${kafka.prefix}keepers.lines`;
    const [committed] = await withAdmin((admin) => admin.fetchOffsets({ groupId, topics: [topic] }));
    for (const { partition, offset } of committed?.partitions ?? [])
      expect(Number(offset)).to.equal(keeper.offsets.get(partition));
    await reading.close();

    const [[partition, end] = [0, 0]] = keeper.offsets;
    const again = new Keeper(
      new Map([...keeper.offsets].map(([n, offset]) => [n, n === partition ? end - 3 : offset])),
    );
    await follow(again);
    await eventually(() => again.texts.length === 3, within);
    expect(again.batches).to.have.lengthOf(1);
    expect(again.batches[0]).to.include({ partition, first: end - 3, next: end });
  });

  it('drop the duplicate of a record that was read before they began', async () => {
    await send(1, 'makes the topic');
    const numbers = new RecordNumbers();
    const copies = () => ({
      topic,
      messages: ['a', 'b', 'c'].map((value, n) => ({ value, partition: 3, ...(n === 0 ? { headers } : {}) })),
    });
    const headers = numbers.headers(numbers.next(3), 3);
    await withProducer(async (producer) => {
      await producer.send(copies());
      await producer.send(copies());
      await producer.send({ topic, messages: [{ value: 'd', partition: 3 }] });
    });
    const [end] = await withAdmin(async (admin) =>
      (await admin.fetchTopicOffsets(topic))
        .filter(({ partition }) => partition === 3)
        .map(({ high }) => Number(high)),
    );
    const all = new Keeper();
    const reading = await follow(all);
    await eventually(() => all.offsets.get(3) === end, within);
    expect(all.texts.filter((text) => text.length === 1)).to.eql(['a', 'b', 'c', 'd']);
    await reading.close();
    const between = new Keeper(new Map([...all.offsets, [3, (end ?? 0) - 4]]));
    await follow(between);
    await eventually(() => between.offsets.get(3) === end, within);
    expect(between.texts).to.eql(['d']);
  });

  it('report their first available offset when records have expired', async () => {
    await send(1, 'makes the topic');
    const messages = Array.from({ length: 10 }, (_, n) => ({ value: `${n}`, partition: 2 }));
    await withProducer((producer) => producer.send({ topic, messages }));
    const end = await withAdmin(async (admin) => {
      const offsets = await admin.fetchTopicOffsets(topic);
      const high = Number(offsets.find(({ partition }) => partition === 2)?.high);
      const partitions = [{ partition: 2, offset: String(high - 4) }];
      await admin.deleteTopicRecords({ topic, partitions });
      return high;
    });
    const keeper = new Keeper(new Map([[2, end - 9]]));
    await follow(keeper);
    await eventually(() => keeper.offsets.get(2) === end, within);
    const [batch] = keeper.batches.filter(({ partition }) => partition === 2);
    expect(batch).to.include({ first: end - 4 });
    expect(batch?.messages).to.have.lengthOf(4);
  });

  it('report a topic that ends before their offset', async () => {
    await send(100, 'x');
    const keeper = new Keeper(new Map(Array.from({ length: partitions }, (_, n) => [n, 1_000_000])));
    await follow(keeper);
    await eventually(() => new Set(keeper.isCut).size === partitions, within);
    expect(keeper.texts).to.eql([]);
  });

  it('fetch nothing while they are paused', async () => {
    const keeper = new Keeper();
    const reading = await follow(keeper);
    await send(50, 'before');
    await eventually(() => keeper.texts.length === 50, within);
    reading.pause();
    await send(50, 'meanwhile');
    // Another group gets them: this one could have, too.
    const other = new Keeper();
    await bus.follow(lines, 'others', other);
    await eventually(() => other.texts.length === 100, within);
    expect(keeper.texts.length).to.be.lessThan(100);
    reading.resume();
    await eventually(() => keeper.texts.length === 100, within);
  });
});
