import type { Kafka, KafkaMessage } from 'kafkajs';
import type { Connectable } from './renewable.js';

export interface ReadPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Reads a partition from a place, without a group: joining one takes seconds. */
export interface PartitionReader extends Connectable {
  /**
   * Whole batches, so that the first records may stand before the place; at least one batch unless nothing comes.
   * Undefined where the place is no longer there.
   */
  read(place: ReadPlace, maxBytes: number): Promise<readonly KafkaMessage[] | undefined>;
}

interface FetchResponse {
  readonly responses: readonly {
    readonly partitions: readonly { readonly messages: readonly KafkaMessage[] }[];
  }[];
}

interface Broker {
  fetch(request: object): Promise<FetchResponse>;
}

interface Cluster extends Connectable {
  addTargetTopic(topic: string): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, readonly number[]>;
  findBroker(node: { readonly nodeId: string }): Promise<Broker>;
}

type CreateCluster = (options: object) => Cluster;

/**
 * What consumers of kafkajs 2.2.4 are made of, and the library hands out only together with a group.
 * Not public: pinned version, and a test that fails when it is no longer as it was.
 */
const createClusterOf = (kafka: Kafka): CreateCluster => {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (symbol === undefined) throw new Error('This version of kafkajs makes clusters in another way');
  return (kafka as unknown as Record<symbol, CreateCluster>)[symbol] as CreateCluster;
};

const metadataMaxAgeMs = 300_000;
const longestFetchWaitMs = 500;
const ordinaryReader = -1;

export const createPartitionReader = (kafka: Kafka): PartitionReader => {
  const cluster = createClusterOf(kafka)({
    metadataMaxAge: metadataMaxAgeMs,
    allowAutoTopicCreation: false,
  });

  const leaderOf = async ({ topic, partition }: ReadPlace): Promise<Broker> => {
    await cluster.addTargetTopic(topic);
    await cluster.refreshMetadataIfNecessary();
    const [nodeId] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
    if (nodeId === undefined) throw new Error(`Partition ${partition} of ${topic} has no leader`);
    return cluster.findBroker({ nodeId });
  };

  return {
    connect: () => cluster.connect(),
    disconnect: () => cluster.disconnect(),
    read: async (place, maxBytes) => {
      const { topic, partition, offset } = place;
      const broker = await leaderOf(place);
      const fetched = broker.fetch({
        replicaId: ordinaryReader,
        isolationLevel: 0,
        maxWaitTime: longestFetchWaitMs,
        minBytes: 1,
        maxBytes,
        topics: [{ topic, partitions: [{ partition, fetchOffset: String(offset), maxBytes }] }],
      });
      const response = await fetched.catch(undefinedIfGone);
      return response && (response.responses[0]?.partitions[0]?.messages ?? []);
    },
  };
};

const undefinedIfGone = (error: Error & { readonly type?: string }): undefined => {
  if (error.type !== 'OFFSET_OUT_OF_RANGE') throw error;
};
