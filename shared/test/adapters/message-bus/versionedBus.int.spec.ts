import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { VersionedBus } from '../../../src/adapters/message-bus/versionedBus.js';
import { busTopics } from '../../../src/wire/bus/busTopics.js';
import { readerAnnouncements } from '../../../src/wire/bus/readers.js';
import { kafkaUnderTest, type KafkaUnderTest } from './kafkaUnderTest.js';
import { first, second } from './releases.js';

const topics = busTopics.filter(({ name }) => name === readerAnnouncements.name);
const quick = { beatMs: 100, settlingMs: 400 };

describe('two releases on Kafka', function () {
  this.timeout(60_000);
  let kafka: KafkaUnderTest;

  const opened: VersionedBus[] = [];

  const newProcess = async (): Promise<VersionedBus> => {
    const bus = new VersionedBus(await kafka.open({ topics }), quick);
    opened.push(bus);
    return bus;
  };

  beforeEach(() => {
    kafka = kafkaUnderTest();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((bus) => bus.close()));
    await kafka.dispose();
  });

  it('lose nothing to each other, and write the new version when the older one has ended', async () => {
    const [writer, older, newer] = [await newProcess(), await newProcess(), await newProcess()];
    const got: Record<'older' | 'newer', string[]> = { older: [], newer: [] };
    await older.read(first.texts, { interest: 'all' }, (text) => void got.older.push(text));
    await newer.read(second.texts, { interest: 'all' }, (text) => void got.newer.push(text));
    const texts = Array.from({ length: 50 }, (_, n) => `text-${n}`);
    for (const text of texts) await writer.send(second.texts, text, 'stored');
    const inFirst = texts.map((text) => `${text} in 1`);
    await eventually(() => got.older.length === 50 && got.newer.length === 50, { withinMs: 20_000 });
    expect(got).to.deep.equal({ older: inFirst, newer: inFirst });
    await older.close();
    await eventually(() => writer.versionOf(second.texts) === 2, { withinMs: 20_000, what: 'version 2' });
    await writer.send(second.texts, 'last', 'stored');
    await eventually(() => got.newer.length === 51, { withinMs: 20_000 });
    expect(got.newer.at(-1)).to.equal('last in 2');
  });

  it('go back to the former version for a reader that comes', async () => {
    const [writer, newer] = [await newProcess(), await newProcess()];
    await newer.read(second.texts, { interest: 'all' }, () => undefined);
    await eventually(() => writer.versionOf(second.texts) === 2, { withinMs: 20_000, what: 'version 2' });
    const older = await newProcess();
    const got: string[] = [];
    await older.read(first.texts, { interest: 'all' }, (text) => void got.push(text));
    await eventually(() => writer.versionOf(second.texts) === 1, { withinMs: 20_000, what: 'version 1' });
    await writer.send(second.texts, 'text', 'stored');
    await eventually(() => got.length > 0, { withinMs: 20_000 });
    expect(got).to.deep.equal(['text in 1']);
  });
});
