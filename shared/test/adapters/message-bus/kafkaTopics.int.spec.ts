import { expect } from 'chai';
import { busTopics, otherTopics } from '../../../src/wire/bus/busTopics.js';
import { notes, numbered } from '@roomwire/testing/contracts/message-bus/busUnderTest';
import { eventually } from '@roomwire/testing/run/eventually';
import { kafkaUnderTest, withAdmin, type KafkaUnderTest } from './kafkaUnderTest.js';

describe('the topics on Kafka', () => {
  let kafka: KafkaUnderTest;

  const topic = { ...otherTopics, name: 'declared', partitions: 3 };
  const opening = (declared: Partial<typeof topic>): Promise<string> =>
    kafka.open({ topics: [{ ...topic, ...declared }] }).then(() => 'opened', String);

  beforeEach(() => {
    kafka = kafkaUnderTest();
  });
  afterEach(() => kafka.dispose());

  it('are created as declared, also when several processes start at the same time', async () => {
    await Promise.all([1, 2, 3].map(() => kafka.open({ topics: busTopics })));
    const names = busTopics.map(({ name }) => kafka.prefix + name);
    const { topics } = await withAdmin((admin) => admin.fetchTopicMetadata({ topics: names }));
    for (const declared of busTopics) {
      const found = topics.find(({ name }) => name === kafka.prefix + declared.name);
      expect(found?.partitions).to.have.lengthOf(declared.partitions);
    }
  });

  it('can be written as soon as they are created, in every partition', async () => {
    const bus = await kafka.open({ topics: [{ ...otherTopics, name: notes.name, partitions: 64 }] });
    const sent = numbered(500, ...(Array.from({ length: 500 }, (_, n) => `key ${n}`) as [string]));
    // Refused where the partition has no leader.
    await Promise.all(sent.map((note) => bus.send(notes, note, 'none')));
    await eventually(async () => {
      const ends = await withAdmin((admin) => admin.fetchTopicOffsets(kafka.prefix + notes.name));
      return ends.length === 64 && ends.reduce((sum, { high }) => sum + Number(high), 0) === sent.length;
    });
  });

  it('make the bus unreachable while brokers answer and none of them can be written', async () => {
    const topics = [{ ...otherTopics, name: notes.name, partitions: 2 }];
    const bus = await kafka.open({ topics, withinMs: 2_000 });
    const send = (...keys: readonly [string, ...string[]]) =>
      Promise.all(numbered(20, ...keys).map((note) => bus.send(notes, note, 'stored'))).then(
        () => 'stored',
        String,
      );
    expect(await send('a', 'b', 'c', 'd')).to.equal('stored');
    await withAdmin((admin) => admin.deleteTopics({ topics: [kafka.prefix + notes.name] }));
    expect(await send('a', 'b', 'c', 'd')).to.match(/^EngineUnavailable/);
    expect(bus.reachable).to.equal(false);
    await kafka.open({ topics });
    await eventually(async () => (await send('a')) === 'stored', { withinMs: 20_000 });
    expect(bus.reachable).to.equal(true);
  });

  it('are used unchanged when they have more partitions', async () => {
    expect(await opening({})).to.equal('opened');
    expect(await opening({ partitions: 2 })).to.equal('opened');
  });

  it('are used unchanged when their settings differ, with a warning in the log', async () => {
    const warnings: string[] = [];
    const silent = (): void => undefined;
    const logger = {
      debug: silent,
      info: silent,
      error: silent,
      warn: (text: string) => warnings.push(text),
    };
    await kafka.open({ topics: [topic], logger });
    expect(warnings).to.deep.equal([]);
    await kafka.open({ topics: [{ ...topic, retentionMs: 1_000 }], logger });
    expect(warnings).to.deep.equal(['A topic is kept otherwise than declared']);
  });

  it('prevent the start when they have fewer partitions', async () => {
    expect(await opening({})).to.equal('opened');
    expect(await opening({ partitions: 4 })).to.match(
      /^TopicMismatch: The topic test-\w+\.declared has 3 partitions, but 4 are declared/,
    );
  });

  it('prevent the start when their limit of a record is smaller', async () => {
    expect(await opening({})).to.equal('opened');
    const refusal = await opening({ maxRecordBytes: 3_000_000 });
    expect(refusal).to.match(/^TopicMismatch: The topic \S+ takes records of 2097152 bytes, but 3000000/);
    expect(refusal).to.include('--add-config max.message.bytes=3000000');
  });
});
