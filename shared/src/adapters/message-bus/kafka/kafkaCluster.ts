import type { Kafka, KafkaMessage } from 'kafkajs';
import type { Connectable } from './renewableClient.js';

interface FetchAnswer {
  readonly responses: readonly {
    readonly partitions: readonly { readonly messages: readonly KafkaMessage[] }[];
  }[];
}

export interface Broker {
  fetch(request: object): Promise<FetchAnswer>;
  produce(request: object): Promise<unknown>;
}

/** What the producers and consumers of kafkajs are built on. */
export interface Cluster extends Connectable {
  addTargetTopic(topic: string): Promise<void>;
  refreshMetadata(): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  findTopicPartitionMetadata(
    topic: string,
  ): readonly { readonly partitionId: number; readonly leader: number }[];
  findBroker(node: { readonly nodeId: number }): Promise<Broker>;
}

type CreateCluster = (options: object) => Cluster;

const metadataMaxAgeMs = 300_000;

/** Not public in kafkajs 2.2.4: pinned version, and a test that fails when it is no longer as it was. */
export const createCluster = (kafka: Kafka): Cluster => {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (symbol === undefined) throw new Error('This version of kafkajs makes clusters in another way');
  const create = (kafka as unknown as Record<symbol, CreateCluster>)[symbol] as CreateCluster;
  return create({ metadataMaxAge: metadataMaxAgeMs, allowAutoTopicCreation: false });
};

/** By partition; undefined for one without a leader. */
export type Leaders = readonly (number | undefined)[];

/** As far as the cluster knows. */
export const leadersIn = (cluster: Cluster, topic: string): Leaders => {
  const leaders: (number | undefined)[] = [];
  for (const { partitionId, leader } of cluster.findTopicPartitionMetadata(topic))
    leaders[partitionId] = leader < 0 ? undefined : leader;
  return leaders;
};
