import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { openMongoGroupStore } from '@roomwire/shared/adapters/group-store/mongoGroupStore';
import { HistoryArchiver } from '@roomwire/shared/adapters/history/historyArchiver';
import { KafkaHistoryPartitions } from '@roomwire/shared/adapters/history/kafkaHistoryPartitions';
import { KafkaRoomPast } from '@roomwire/shared/adapters/history/kafkaRoomPast';
import { openMongoHistoryIndex } from '@roomwire/shared/adapters/history-index/mongoHistoryIndex';
import {
  openKafkaMessageBus,
  type KafkaMessageBus,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { openMongoJobStore } from '@roomwire/shared/adapters/job-store/mongoJobStore';
import { createKafkaMessageStore } from '@roomwire/shared/adapters/message-store/kafkaMessageStore';
import { openMongoPublishIds } from '@roomwire/shared/adapters/publish-ids/mongoPublishIds';
import { openMongoScheduleStore } from '@roomwire/shared/adapters/schedule-store/mongoScheduleStore';
import { openMongoSessionStore } from '@roomwire/shared/adapters/session-store/mongoSessionStore';
import { openMongoShardLeases } from '@roomwire/shared/adapters/shard-leases/mongoShardLeases';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { openMongoViewStores } from '@roomwire/shared/adapters/view-store/mongo/mongoViewStore';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { IndexedHistory } from '@roomwire/shared/history/indexedHistory';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import { liveMessages } from '@roomwire/shared/wire/bus/liveMessage';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { busTopics, recordTopics } from '@roomwire/shared/wire/bus/busTopics';
import { testBrokers, testMongodbUrl } from '@roomwire/testing/run/testProfile';
import { after } from 'mocha';
import type { BusPorts, Ports } from './ports.js';

const own = `sockets-${randomUUID().slice(0, 8)}`;

/** The index is on MongoDB. */
const openBus = async (
  index: HistoryIndex,
): Promise<Omit<BusPorts, 'shardLeases'> & { readonly kafka: KafkaMessageBus }> => {
  const bus = await openKafkaMessageBus({
    brokers: testBrokers(),
    clientId: 'roomwire-test',
    topicPrefix: `${own}.`,
    topics: [...busTopics, ...recordTopics],
  });
  const record = createKafkaMessageStore(bus);
  const partitions = await bus.partitions(liveMessages);
  return {
    bus,
    kafka: bus,
    history: new IndexedHistory(index, new KafkaHistoryPartitions({ partitions, index })),
    past: new KafkaRoomPast({ partitions, logger: silentLogger }),
    record: async () => record,
    async close() {
      await record.close();
      await bus.close();
    },
  };
};

const openForGateway = async (index: HistoryIndex): Promise<BusPorts> => {
  const deps = { clock: systemClock, random: systemRandom, logger: silentLogger };
  const shardLeases = await openMongoShardLeases(
    { url: testMongodbUrl(own) },
    { ...deps, times: { renewMs: 100 } },
  );
  const ports = await openBus(index);
  return {
    ...{ ...ports, shardLeases },
    async close() {
      await shardLeases.close();
      await ports.close();
    },
  };
};

const openStores = async () => {
  const place = { url: testMongodbUrl(own) };
  const index = await openMongoHistoryIndex(place);
  const ports = await openBus(index);
  const { kafka } = ports;
  const archiver = new HistoryArchiver({
    ...{ index, clock: systemClock, logger: silentLogger },
    follow: (channel, group, follower) => kafka.follow(channel, group, follower),
    partitions: await kafka.partitions(liveMessages),
  });
  await archiver.start();
  return {
    ...ports,
    index,
    archiver,
    stores: await openMongoViewStores(place),
    sessions: await openMongoSessionStore(place),
    groups: await openMongoGroupStore(place),
    publishIds: await openMongoPublishIds(place),
    jobs: await openMongoJobStore(place),
    schedules: await openMongoScheduleStore(place),
  };
};

let opened: ReturnType<typeof openStores> | undefined;

/**
 * On MongoDB and Kafka, one database and one set of topics for all tests of the run: projects of their own keep them
 * apart, as they keep those of customers apart. Each gateway has its own connections to the brokers.
 */
export const openEnginePorts = async (): Promise<Ports> => {
  const { groups, stores, index, ...ports } = await (opened ??= openStores());
  const { views, usage } = stores;
  // No projector fills them: the tests write what they read.
  await views.admitReaders(undefined);
  return {
    ...ports,
    views,
    usage,
    groups: async () => groups,
    gateway: () => openForGateway(index),
    close: async () => undefined,
  };
};

after(async () => {
  // Of a parallel run: the later files of this worker use them as well, and mocha ends it.
  if (process.env['MOCHA_WORKER_ID'] !== undefined) return;
  const ports = await opened;
  await ports?.archiver.close();
  await ports?.close();
  for (const store of [
    ports?.stores,
    ports?.sessions,
    ports?.groups,
    ports?.publishIds,
    ports?.jobs,
    ports?.schedules,
    ports?.index,
  ])
    await store?.close();
});
