import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import kafkajs, { type Kafka } from 'kafkajs';
import type { Connectable, StoredRecord } from '../kafkaClient.js';

// All that is used of kafkajs 2.2.4 and not public, and the patches of it: the version is pinned, and a test for each fails
// when the library is no longer as it was.

interface FetchAnswer {
  readonly responses: readonly {
    readonly partitions: readonly { readonly messages: readonly StoredRecord[] }[];
  }[];
}

export interface ProduceAnswer {
  readonly topics: readonly {
    readonly partitions: readonly {
      readonly partition: number;
      readonly errorCode: number;
      readonly baseOffset: string;
    }[];
  }[];
}

export interface Broker {
  fetch(request: object): Promise<FetchAnswer>;
  /** Rejects with an error that has the `answer` where a partition has refused its records. */
  produce(request: object): Promise<ProduceAnswer>;
}

/** What the producers and consumers of kafkajs are built on. */
export interface Cluster extends Connectable {
  addTargetTopic(topic: string): Promise<void>;
  refreshMetadata(): Promise<void>;
  refreshMetadataIfNecessary(): Promise<void>;
  findTopicPartitionMetadata(topic: string): readonly {
    readonly partitionId: number;
    readonly leader: number;
    readonly replicas: readonly number[];
    readonly isr: readonly number[];
  }[];
  findBroker(node: { readonly nodeId: number }): Promise<Broker>;
}

interface Connection {
  readonly broker: string;
  readonly connectionStatus: string;
  readonly socket: Socket | null;
  chunks: readonly Uint8Array[];
  bytesBuffered: number;
  bytesNeeded: number;
  connect: (this: Connection) => Promise<boolean>;
  failIfNotConnected: (this: Connection) => void;
}

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

interface BrokerPool {
  readonly metadata: TopicMetadata | null;
  metadataExpireAt: number | null;
  refreshMetadata: (this: BrokerPool, topics: readonly string[]) => Promise<void>;
}

interface TopicMetadata {
  readonly topicMetadata: readonly {
    readonly topic: string;
    readonly partitionMetadata: readonly PartitionMetadata[];
  }[];
}

interface PartitionMetadata {
  readonly partitionId: number;
  readonly partitionErrorCode: number;
  readonly leader: number;
}

interface AskedOffsets {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number }[];
}

interface PatchedCluster {
  findTopicPartitionMetadata(topic: string): readonly PartitionMetadata[];
  refreshMetadata(): Promise<void>;
  fetchTopicsOffset: (
    this: PatchedCluster,
    topics: readonly AskedOffsets[],
  ) => Promise<readonly AskedOffsets[]>;
}

interface FetchingGroup {
  maxWaitTime: number;
  paused(): readonly unknown[];
  fetch: (this: FetchingGroup, nodeId: number) => Promise<readonly unknown[]>;
}

type Parse<Data> = (data: Data) => Promise<Data>;

interface Definition<Data> {
  protocol: (options: { readonly version: number }) => (...args: readonly unknown[]) => {
    readonly request: object;
    readonly response: { parse: Parse<Data> };
  };
}

interface Class<T> {
  readonly prototype: T;
}

const require = createRequire(import.meta.url);
const connections = (require('kafkajs/src/network/connection') as Class<Connection>).prototype;
const queues = (require('kafkajs/src/network/requestQueue') as Class<RequestQueue>).prototype;
const pools = (require('kafkajs/src/cluster/brokerPool') as Class<BrokerPool>).prototype;
const clusters = (require('kafkajs/src/cluster') as Class<PatchedCluster>).prototype;
const groups = (require('kafkajs/src/consumer/consumerGroup') as Class<FetchingGroup>).prototype;
const { Metadata, Produce } = (
  require('kafkajs/src/protocol/requests') as {
    requests: { Metadata: Definition<TopicMetadata>; Produce: Definition<object> };
  }
).requests;
const { connect } = connections;
const { scheduleCheckPendingRequests } = queues;
const { refreshMetadata } = pools;
const { fetchTopicsOffset } = clusters;
const { fetch } = groups;
const protocols = { metadata: Metadata.protocol, produce: Produce.protocol };

/** Every answer begins with its length. */
const lengthBytes = 4;

const metadataMaxAgeMs = 300_000;

export const createCluster = (kafka: Kafka): Cluster => {
  const symbol = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (symbol === undefined) throw new Error('This version of kafkajs makes clusters in another way');
  const create = (kafka as unknown as Record<symbol, (options: object) => Cluster>)[symbol];
  return (create as (options: object) => Cluster)({
    metadataMaxAge: metadataMaxAgeMs,
    allowAutoTopicCreation: false,
  });
};

/** The error of a code in an answer, as the library makes it. */
export const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  readonly createErrorFromCode: (code: number) => Error;
};

export const patchKafkajs = (): void => {
  connections.failIfNotConnected = refuseWhileClosing;
  connections.connect = connectWithEmptyBuffer;
  queues.scheduleCheckPendingRequests = checkWhilePending;
  pools.refreshMetadata = refreshSoonWithoutLeader;
  clusters.fetchTopicsOffset = fetchOffsetsOfLed;
  groups.fetch = fetchSoonWhilePaused;
  Metadata.protocol = parsedBy(protocols.metadata, allowPartitionErrors);
  Produce.protocol = parsedBy(protocols.produce, keepAnswer);
};

const parsedBy =
  <Data>(
    protocol: Definition<Data>['protocol'],
    parsed: (parse: Parse<Data>, data: Data) => Promise<Data>,
  ): Definition<Data>['protocol'] =>
  (options) => {
    const create = protocol(options);
    return (...args) => {
      const { request, response } = create(...args);
      return { request, response: { ...response, parse: (data) => parsed(response.parse, data) } };
    };
  };

/** One partition without a leader makes the library reject what is known of all others, of every topic. */
const allowPartitionErrors = async (
  parse: Parse<TopicMetadata>,
  data: TopicMetadata,
): Promise<TopicMetadata> => {
  const withoutErrors = data.topicMetadata.map((topic) => ({
    ...topic,
    partitionMetadata: topic.partitionMetadata.filter(({ partitionErrorCode }) => partitionErrorCode === 0),
  }));
  await parse({ ...data, topicMetadata: withoutErrors });
  return data;
};

/** The error names one partition that refused its records; which others have stored theirs is only in the answer. */
const keepAnswer = (parse: Parse<object>, answer: object): Promise<object> =>
  parse(answer).catch((error: Error) => {
    throw Object.assign(error, { answer });
  });

/** Soon enough for a partition that has a leader again, and not with every request meanwhile. */
const leaderlessMetadataMs = 500;

async function refreshSoonWithoutLeader(this: BrokerPool, topics: readonly string[]): Promise<void> {
  await refreshMetadata.call(this, topics);
  const partitions = this.metadata?.topicMetadata.flatMap((topic) => topic.partitionMetadata) ?? [];
  if (!partitions.every(hasLeader)) this.metadataExpireAt = Date.now() + leaderlessMetadataMs;
}

const hasLeader = ({ leader }: PartitionMetadata): boolean => leader >= 0;

/**
 * Leaves out partitions without a leader, for which the library rejects all others. A leader that does not answer may be one no
 * more, which the library would not find out for minutes.
 */
async function fetchOffsetsOfLed(
  this: PatchedCluster,
  topics: readonly AskedOffsets[],
): Promise<readonly AskedOffsets[]> {
  const asked = topics.map((offsets) => {
    const led = new Set(
      this.findTopicPartitionMetadata(offsets.topic)
        .filter(hasLeader)
        .map(({ partitionId }) => partitionId),
    );
    return { ...offsets, partitions: offsets.partitions.filter(({ partition }) => led.has(partition)) };
  });
  try {
    const found = await fetchTopicsOffset.call(this, asked);
    return topics.map(({ topic }) => found.find((one) => one.topic === topic) ?? { topic, partitions: [] });
  } catch (error) {
    await this.refreshMetadata();
    throw error;
  }
}

/** The maximum wait of a fetch without records: members find a rebalance, and end, when it is over. */
const longestFetchWaitMs = 200;
/** While partitions are paused: one that is resumed waits for the fetch of the others. */
const fetchWaitWhilePausedMs = 100;

/** A process at rest has a dozen consumers: what they ask for is most of its work, and of its broker's. */
function fetchSoonWhilePaused(this: FetchingGroup, nodeId: number): Promise<readonly unknown[]> {
  this.maxWaitTime = this.paused().length > 0 ? fetchWaitWhilePausedMs : longestFetchWaitMs;
  return fetch.call(this, nodeId);
}

/**
 * A connection still takes requests while it is closing, and no longer watches how long they take: such a request never
 * settles, nor does anything that waits for it. Here it fails, and is sent again.
 */
function refuseWhileClosing(this: Connection): void {
  if (this.connectionStatus !== 'connected')
    throw new kafkajs.KafkaJSConnectionError('Not connected', { broker: this.broker });
}

/**
 * A connection that ends in the middle of an answer keeps the half, and takes the first bytes of its next socket for the rest:
 * it then waits for an answer of any size, or reads past the end of one, an error that is not caught.
 */
function connectWithEmptyBuffer(this: Connection): Promise<boolean> {
  if (this.connectionStatus !== 'connected') {
    this.socket?.removeAllListeners('data');
    Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: lengthBytes });
  }
  return connect.call(this);
}

/**
 * Every connection checks for pending requests each millisecond: 5 % of a core per idle connection. There are none
 * unless `push` held a request back, which schedules the check itself.
 */
function checkWhilePending(this: RequestQueue): void {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
}
