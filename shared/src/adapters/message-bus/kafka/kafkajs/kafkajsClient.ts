import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import kafkajs, { Kafka, type Admin, type ISocketFactory, type logCreator, type SASLOptions } from 'kafkajs';
import type { Logger } from '../../../../ports/logger.js';
import {
  refusalOf,
  type DescribedTopic,
  type GroupConsumer,
  type GroupConsumerOptions,
  type KafkaAdmin,
  type KafkaClient,
  type NewTopic,
} from '../kafkaClient.js';
import {
  connectToBroker,
  requestTimeoutMs,
  type KafkaConnection,
  type KafkaSecurity,
} from '../kafkaSettings.js';
import { createCluster, patchKafkajs } from './kafkajsInternals.js';
import { createLeaderFinder, createPartitionReader, createPartitionWriter } from './kafkajsPartitions.js';

const connectionTimeoutMs = 3_000;

/** With the defaults of the library (30 s at most, doubling) sends resume up to 25 s after a broker is back. */
const retry = { initialRetryTime: 50, maxRetryTime: 1_000, multiplier: 2 };

export interface ClientPatience {
  /** 0 for callers that retry themselves. */
  readonly retries: number;
  /** Of each request. */
  readonly requestTimeoutMs: number;
}

const usualPatience: ClientPatience = { retries: 4, requestTimeoutMs };

/** The library recovers from most errors that it logs; the others reach the caller as rejections. */
const logTo =
  (logger: Logger | undefined): logCreator =>
  () =>
  ({ namespace, log }) =>
    logger?.debug(`Kafka client: ${log.message}`, { namespace, reason: log['error'] as unknown });

/** The library listens to `error` and to `end`, not to `close`, and may wait on one that it has ended itself. */
const giveUp = (socket: Socket): void => {
  socket.destroy(new Error('The connection was given up'));
};

/** A copy: the library writes into it. */
const saslOptions = ({ sasl }: KafkaSecurity): { readonly sasl?: SASLOptions } =>
  sasl === undefined ? {} : { sasl: { ...sasl } };

let clients = 0;

/** The library begins with the first one each time: a client that replaces a failed one would ask the same broker again. */
const fromAnotherOn = (brokers: readonly string[]): string[] => {
  const first = clients++ % brokers.length;
  return [...brokers.slice(first), ...brokers.slice(0, first)];
};

export const createKafkaClient = (
  connection: KafkaConnection,
  patience: Partial<ClientPatience> = {},
): KafkaClient => {
  patchKafkajs();
  const sockets = new Set<Socket>();
  const { retries, requestTimeoutMs: requestTimeout } = { ...usualPatience, ...patience };
  const { security = {} } = connection;
  const open = connection.connect ?? connectToBroker(security);
  let bytesOfEnded = 0;
  let isCut = false;

  const socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    const socket = open(port, host, onConnect);
    // A batch is written as a whole: waiting for more only costs time.
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      bytesOfEnded += socket.bytesRead;
    });
    // Connections that the library still opens for a discarded client would never be closed.
    if (isCut) giveUp(socket);
    return socket;
  };
  const kafka = new Kafka({
    brokers: fromAnotherOn(connection.brokers),
    clientId: connection.clientId,
    ...saslOptions(security),
    connectionTimeout: connectionTimeoutMs,
    authenticationTimeout: connectionTimeoutMs,
    requestTimeout,
    enforceRequestTimeout: true,
    retry: { ...retry, retries },
    socketFactory,
    logLevel: kafkajs.logLevel.WARN,
    logCreator: logTo(connection.logger),
  });
  return {
    admin: () => createAdmin(kafka.admin()),
    leaderFinder: () => createLeaderFinder(kafka),
    writerTo: (leader) => createPartitionWriter(createCluster(kafka), leader),
    reader: () => createPartitionReader(kafka),
    consumer: (options) => createGroupConsumer(kafka, options),
    get bytesRead() {
      return [...sockets].reduce((sum, socket) => sum + socket.bytesRead, bytesOfEnded);
    },
    cut: () => {
      isCut = true;
      sockets.forEach(giveUp);
    },
  };
};

const configNames = ['max.message.bytes', 'retention.ms', 'cleanup.policy', 'min.insync.replicas'];

/** Of a topic that was created: the broker that is asked may learn of it later, and then of its leaders. */
const notYet = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION']);
/** What is sent to a topic that takes longer waits for its leaders. */
const ledWithinMs = 5_000;
const betweenLooksMs = 20;

export const createAdmin = (
  admin: Pick<
    Admin,
    | 'connect'
    | 'disconnect'
    | 'createTopics'
    | 'describeCluster'
    | 'describeConfigs'
    | 'fetchOffsets'
    | 'fetchTopicMetadata'
    | 'fetchTopicOffsets'
    | 'fetchTopicOffsetsByTimestamp'
    | 'listTopics'
  >,
): KafkaAdmin => {
  const describeTopics = async (names: readonly string[]): Promise<ReadonlyMap<string, DescribedTopic>> => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name, configNames })),
    });
    return new Map(
      names.map((name) => {
        const entries = resources.find(({ resourceName }) => resourceName === name)?.configEntries ?? [];
        const config = new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
        return [name, { partitions: topics.find((topic) => topic.name === name)?.partitions ?? [], config }];
      }),
    );
  };

  /** A leader that answers for a partition takes its records, too; the metadata says earlier who will lead. */
  const isLed = async ({ name, partitions }: NewTopic): Promise<boolean> => {
    try {
      return (await admin.fetchTopicOffsets(name)).length === partitions;
    } catch (error) {
      if (!notYet.has(refusalOf(error) ?? '')) throw error;
      return false;
    }
  };

  return {
    connect: () => admin.connect(),
    disconnect: () => admin.disconnect(),
    countBrokers: async () => (await admin.describeCluster()).brokers.length,
    listTopics: () => admin.listTopics(),
    describeTopics,
    createTopics: async (topics) => {
      await admin.createTopics({
        // It waits until nothing is rejected, and a partition without a leader no longer is: see `kafkajsInternals`.
        waitForLeaders: false,
        topics: topics.map(({ name, partitions, replicas, config }) => ({
          topic: name,
          numPartitions: partitions,
          replicationFactor: replicas,
          configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
        })),
      });
      const deadline = performance.now() + ledWithinMs;
      for (const topic of topics)
        while (!(await isLed(topic)) && performance.now() < deadline) await pause(betweenLooksMs);
    },
    fetchOffsets: async (topic) => {
      const ends = await admin.fetchTopicOffsets(topic);
      return ends.map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }));
    },
    fetchOffsetsAt: async (topic, timeMs) =>
      byPartition(await admin.fetchTopicOffsetsByTimestamp(topic, timeMs)),
    fetchCommitted: async (topic, groupId) => {
      const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
      return byPartition(offsets?.partitions ?? []);
    },
  };
};

const byPartition = (
  offsets: readonly { readonly partition: number; readonly offset: string }[],
): readonly (number | undefined)[] => {
  const found: (number | undefined)[] = [];
  for (const { partition, offset } of offsets) found[partition] = Number(offset);
  return found;
};

/** Members learn of a rebalance with a heartbeat. */
const heartbeatIntervalMs = 1_000;
/** How long a group waits for its members in a rebalance. */
const rebalanceTimeoutMs = 10_000;

export const createGroupConsumer = (
  kafka: Pick<Kafka, 'consumer'>,
  { topic, groupId, fromBeginning, sessionTimeoutMs }: GroupConsumerOptions,
): GroupConsumer => {
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: rebalanceTimeoutMs,
    heartbeatInterval: heartbeatIntervalMs,
    minBytes: 1,
    allowAutoTopicCreation: false,
    // A restart by the library begins where the group has committed, which readers never do.
    retry: { restartOnFailure: async () => false },
  });
  return {
    run: async (events) => {
      const { GROUP_JOIN, REBALANCING, REQUEST, CRASH } = consumer.events;
      consumer.on(GROUP_JOIN, ({ payload: { memberAssignment, memberId } }) =>
        events.joined(memberAssignment[topic] ?? [], memberId),
      );
      consumer.on(REBALANCING, () => events.leaving());
      consumer.on(REQUEST, () => events.answered());
      consumer.on(CRASH, ({ payload: { error } }) => events.crashed(error.message));
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async (payload) => {
          // Fetched before a seek.
          if (payload.isStale()) return;
          const { batch } = payload;
          if (events.take(batch)) payload.resolveOffset(batch.lastOffset());
        },
      });
    },
    disconnect: () => consumer.disconnect(),
    seek: (partition, offset) => consumer.seek({ topic, partition, offset: String(offset) }),
    pause: (partitions) => consumer.pause([{ topic, partitions: [...partitions] }]),
    resume: (partitions) => consumer.resume([{ topic, partitions: [...partitions] }]),
    commit: (offsets) =>
      consumer.commitOffsets(
        [...offsets].map(([partition, offset]) => ({ topic, partition, offset: String(offset) })),
      ),
  };
};
