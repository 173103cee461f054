import type { Kafka } from 'kafkajs';
import {
  type LeaderFinder,
  type Led,
  type Leaders,
  type PartitionReader,
  type PartitionWriter,
  type RecordPosition,
  type WriteAnswers,
  refusalOf,
} from '../kafkaClient.js';
import { requestTimeoutMs } from '../kafkaSettings.js';
import { isOfPartition, PartitionUnavailable } from '../renewableClient.js';
import {
  createCluster,
  createErrorFromCode,
  type Broker,
  type Cluster,
  type ProduceAnswer,
} from './kafkajsInternals.js';

/** As far as the cluster knows. */
const leadersIn = (cluster: Cluster, topic: string): Leaders => {
  const leaders: (Led | undefined)[] = [];
  for (const { partitionId, leader, replicas, isr } of cluster.findTopicPartitionMetadata(topic))
    leaders[partitionId] =
      leader < 0 ? undefined : { leader, replicas: replicas.length, inSyncReplicas: isr.length };
  return leaders;
};

export const createLeaderFinder = (kafka: Kafka): LeaderFinder => {
  const cluster = createCluster(kafka);
  return {
    connect: () => cluster.connect(),
    disconnect: () => cluster.disconnect(),
    leaders: async (topic) => {
      await cluster.addTargetTopic(topic);
      await cluster.refreshMetadata();
      return leadersIn(cluster, topic);
    },
  };
};

/**
 * Below the library's producer, which tells of a send that failed in one partition only that it failed. Nor could that be
 * `idempotent`: after a failed send it gives its sequence numbers to other records, which the broker then takes for
 * copies: it acknowledges and drops them.
 */
export const createPartitionWriter = (cluster: Cluster, leader: number): PartitionWriter => ({
  connect: () => cluster.connect(),
  disconnect: () => cluster.disconnect(),
  write: async ({ topic, acks, partitions }) => {
    // Where the leader is.
    await cluster.addTargetTopic(topic);
    const broker = await cluster.findBroker({ nodeId: leader });
    const request = { acks, timeout: requestTimeoutMs, topicData: [{ topic, partitions }] };
    return answersIn(await broker.produce(request).catch(answerOn));
  },
});

/** The answer is on the error: see `kafkajsInternals`. */
const answerOn = (error: Error & { readonly answer?: ProduceAnswer }): ProduceAnswer => {
  if (!error.answer) throw error;
  return error.answer;
};

const answersIn = ({ topics }: ProduceAnswer): WriteAnswers =>
  new Map(
    topics
      .flatMap(({ partitions }) => partitions)
      .map(({ partition, errorCode, baseOffset }) => [
        partition,
        errorCode === 0 ? Number(baseOffset) : createErrorFromCode(errorCode),
      ]),
  );

const longestFetchWaitMs = 500;
const ordinaryReader = -1;

/** The fetcher of the library's consumers, which it offers only together with a group. */
export const createPartitionReader = (kafka: Kafka): PartitionReader => {
  const cluster = createCluster(kafka);

  const leaderOf = async ({ topic, partition }: RecordPosition): Promise<Broker> => {
    await cluster.addTargetTopic(topic);
    await cluster.refreshMetadataIfNecessary();
    const nodeId = leadersIn(cluster, topic)[partition]?.leader;
    if (nodeId === undefined) throw new PartitionUnavailable(topic, partition);
    return cluster.findBroker({ nodeId });
  };

  return {
    connect: () => cluster.connect(),
    disconnect: () => cluster.disconnect(),
    read: async (position, maxBytes) => {
      const { topic, partition, offset } = position;
      const broker = await leaderOf(position);
      const fetched = broker.fetch({
        replicaId: ordinaryReader,
        isolationLevel: 0,
        maxWaitTime: longestFetchWaitMs,
        minBytes: 1,
        maxBytes,
        topics: [{ topic, partitions: [{ partition, fetchOffset: String(offset), maxBytes }] }],
      });
      const response = await fetched.catch(async (error: unknown): Promise<undefined> => {
        // It may have another leader now.
        if (isOfPartition(error)) await cluster.refreshMetadata();
        return undefinedIfGone(error);
      });
      return response && (response.responses[0]?.partitions[0]?.messages ?? []);
    },
  };
};

const undefinedIfGone = (error: unknown): undefined => {
  if (refusalOf(error) !== 'OFFSET_OUT_OF_RANGE') throw error;
};
