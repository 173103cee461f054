import { expect } from 'chai';
import { eventually } from '@roomwire/testing/run/eventually';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { HistoryArchiver } from '../../../src/adapters/history/historyArchiver.js';
import { KafkaHistoryPartitions } from '../../../src/adapters/history/kafkaHistoryPartitions.js';
import type { KafkaMessageBus } from '../../../src/adapters/message-bus/kafka/kafkaMessageBus.js';
import { systemClock } from '../../../src/adapters/system/systemClock.js';
import { IndexedHistory } from '../../../src/history/indexedHistory.js';
import { endOf, type HistoryTopic } from '../../../src/ports/history.js';
import { liveMessages, type LiveMessage } from '../../../src/wire/bus/liveMessage.js';
import {
  gathered,
  idOf,
  idsIn,
  keptMessage,
  otherMessage,
  room,
  topicNamed,
} from '../../history/keptMessages.js';
import { MemoryHistoryIndex } from '../../history/memoryHistoryIndex.js';
import { cable, kafkaUnderTest, withAdmin, type KafkaUnderTest } from '../message-bus/kafkaUnderTest.js';

const within = { withinMs: 40_000 };
const owners = { projectId: 'project', appId: 'app-id' };
const news = topicNamed('news');

describe('the history on Kafka', function () {
  this.timeout(120_000);
  let kafka: KafkaUnderTest;
  let index: MemoryHistoryIndex;
  let bus: KafkaMessageBus;
  let archivers: HistoryArchiver[];
  let errors: string[];

  const ignore = (): void => undefined;
  const logger = {
    ...{ debug: ignore, info: ignore, warn: ignore },
    error: (message: string) => void errors.push(message),
  };
  /** As another process has it. */
  const openHistory = async (by = bus): Promise<IndexedHistory> =>
    new IndexedHistory(
      index,
      new KafkaHistoryPartitions({ partitions: await by.partitions(liveMessages), index }),
    );
  const startArchiver = async (by = bus): Promise<HistoryArchiver> => {
    const archiver = new HistoryArchiver({
      ...{ index, clock: systemClock, logger, saveEveryMs: 100, checkEveryMs: 500 },
      partitions: await by.partitions(liveMessages),
      follow: (channel, group, follower) => by.follow(channel, group, follower),
    });
    archivers.push(archiver);
    await archiver.start();
    return archiver;
  };
  const publish = (message: LiveMessage): Promise<number> => bus.send(liveMessages, message, 'stored');
  const publishAll = (from: number, to: number): Promise<readonly number[]> =>
    Promise.all(Array.from({ length: to - from }, (_, n) => publish(keptMessage(from + n))));
  const ids = (from: number, to: number): readonly string[] =>
    Array.from({ length: to - from }, (_, n) => idOf(from + n));
  const isReady = (history: IndexedHistory, topic: HistoryTopic = news): Promise<void> =>
    eventually(
      () =>
        history.look(topic).then(
          () => true,
          () => false,
        ),
      within,
    );

  beforeEach(async () => {
    kafka = kafkaUnderTest();
    index = new MemoryHistoryIndex();
    [archivers, errors] = [[], []];
    bus = await kafka.open();
  });
  afterEach(async () => {
    await Promise.all(archivers.map((archiver) => archiver.close()));
    await kafka.dispose();
  });

  it('[WS-HIST-3] has in another process what was acknowledged, in the order of delivery, while it is archived', async () => {
    await startArchiver();
    const history = await openHistory(await kafka.open());
    await isReady(history);
    const delivered: (readonly [string, number])[] = [];
    await bus.read(liveMessages, { interest: 'all' }, ({ id, kept }, offset) => {
      if (kept) delivered.push([id, offset]);
    });
    const chance = seededChance(11);
    for (let n = 0; n < 200; n += 1) {
      const offset = await publish(chance.next() < 0.8 ? keptMessage(n) : otherMessage(n));
      if (chance.next() > 0.3) continue;
      const view = await history.look(news);
      expect(view.upTo).to.be.at.least(offset);
    }
    const view = await history.look(news);
    const found = await gathered(view.oldestFirst());
    await eventually(() => delivered.length === found.length, within);
    expect(found.map(({ message, place }) => [message.id, place.offset])).to.eql(delivered);
    expect(found.map(({ ordinal }) => ordinal)).to.eql(found.map((_, n) => n + 1));
    expect(errors).to.eql([]);
  });

  it('[WS-HIST-3] has it while nobody archives, and when somebody does again', async () => {
    const first = await startArchiver();
    const history = await openHistory(await kafka.open());
    await isReady(history);
    await publishAll(0, 10);
    await first.close();
    await publishAll(10, 300);
    expect(await idsIn(await history.look(news))).to.eql(ids(0, 300));
    await startArchiver();
    await eventually(() => index.all.length === 300, within);
    expect(await idsIn(await history.look(news))).to.eql(ids(0, 300));
    await publishAll(300, 301);
    expect(await idsIn(await (await openHistory()).look(news))).to.eql(ids(0, 301));
    expect(new Set(index.all.map(({ place }) => place.epoch)).size).to.equal(1);
  });

  it('[WS-HIST-3] misses nothing where whoever archives dies, and another goes on', async () => {
    const wire = cable();
    const dying = await kafka.open({ connect: wire.connect });
    await startArchiver(dying);
    const history = await openHistory();
    await isReady(history);
    await publishAll(0, 50);
    await startArchiver(await kafka.open());
    wire.cut();
    for (let n = 50; n < 250; n += 1) {
      await publish(keptMessage(n));
      if (n % 40 === 0) expect(await idsIn(await history.look(news))).to.eql(ids(0, n + 1));
    }
    await eventually(() => index.all.length === 250, within);
    expect(index.all.map(({ message }) => message.id)).to.eql(ids(0, 250));
    expect(await idsIn(await history.look(news))).to.eql(ids(0, 250));
    wire.restore();
  });

  it('[WS-HIST-13] deletes what was acknowledged before, and nothing later', async () => {
    await startArchiver();
    const history = await openHistory();
    await isReady(history);
    await publishAll(0, 20);
    const another = await openHistory(await kafka.open());
    await another.deleteTopic(news, owners, endOf(await another.look(news)));
    await publishAll(20, 25);
    expect(await idsIn(await history.look(news))).to.eql(ids(20, 25));
    await eventually(() => index.all.length === 25, within);
    expect(await idsIn(await history.look(news))).to.eql(ids(20, 25));
  });

  it('[WS-HIST-2] begins a later epoch where the topic is made anew', async () => {
    await startArchiver();
    const history = await openHistory();
    await isReady(history);
    await publishAll(0, 40);
    const before = await history.look(news);
    await eventually(() => index.all.length === 40, within);
    await bus.close();
    await Promise.all(archivers.splice(0).map((archiver) => archiver.close()));
    const topic = `${kafka.prefix}messages`;
    await withAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
    await eventually(() => withAdmin(async (admin) => !(await admin.listTopics()).includes(topic)), within);
    bus = await kafka.open();
    await startArchiver();
    const later = await openHistory();
    await isReady(later);
    await publishAll(100, 105);
    const view = await later.look(news);
    expect(view.epoch).to.be.greaterThan(before.epoch);
    expect(later.epochOf(room)).to.equal(view.epoch);
    expect(await idsIn(view)).to.eql([...ids(0, 40), ...ids(100, 105)]);
  });
});
