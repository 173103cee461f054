import { createRequire } from 'node:module';
import type { Kafka, Message } from 'kafkajs';
import { requestTimeoutMs } from './kafkaClient.js';
import { createCluster, leadersIn, type Cluster, type Leaders } from './kafkaCluster.js';
import type { Connectable } from './renewableClient.js';

/** The records of a request to one leader. */
export interface ForLeader {
  readonly topic: string;
  readonly acks: number;
  readonly partitions: readonly { readonly partition: number; readonly messages: readonly Message[] }[];
}

/** By partition, why it has not taken its records; the others have stored theirs. */
export type Refusals = ReadonlyMap<number, Error>;

/** Writes to one leader, so that another one that hangs is no matter to it. */
export interface PartitionWriter extends Connectable {
  /** Rejects where it is unknown what is stored. */
  write(records: ForLeader): Promise<Refusals>;
}

/** Finds out who leads the partitions of a topic at present. */
export interface LeaderFinder extends Connectable {
  leaders(topic: string): Promise<Leaders>;
}

interface ProduceAnswer {
  readonly topics: readonly {
    readonly partitions: readonly { readonly partition: number; readonly errorCode: number }[];
  }[];
}

const { createErrorFromCode } = createRequire(import.meta.url)('kafkajs/src/protocol/error') as {
  createErrorFromCode: (code: number) => Error;
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
    return broker.produce(request).then(() => new Map(), refusalsIn);
  },
});

/** The answer is on the error: see `kafkajsPatches`. */
const refusalsIn = (error: Error & { readonly answer?: ProduceAnswer }): Refusals => {
  if (!error.answer) throw error;
  const refused = error.answer.topics
    .flatMap(({ partitions }) => partitions)
    .filter(({ errorCode }) => errorCode !== 0);
  return new Map(refused.map(({ partition, errorCode }) => [partition, createErrorFromCode(errorCode)]));
};
