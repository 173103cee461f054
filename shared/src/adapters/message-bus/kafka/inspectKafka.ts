import type { BusTopic } from '../../../wire/bus/busTopics.js';
import type { DescribedTopic, KafkaAdmin } from './kafkaClient.js';
import type { KafkaSecurity } from './kafkaSettings.js';
import { createKafkaClient } from './kafkajs/kafkajsClient.js';

export interface TopicState {
  readonly declared: BusTopic;
  /** Undefined for a missing topic. */
  readonly found:
    | {
        readonly partitions: number;
        readonly fewestReplicas: number;
        readonly underReplicated: number;
        readonly retentionMs: number;
        readonly cleanup: string;
        readonly maxRecordBytes: number;
      }
    | undefined;
}

export interface KafkaState {
  readonly brokers: number;
  readonly topics: readonly TopicState[];
  /** By queue: jobs that are not done. */
  readonly waiting: ReadonlyMap<string, number>;
}

export interface KafkaTarget {
  readonly brokers: readonly string[];
  readonly security: KafkaSecurity;
  readonly topicPrefix?: string;
  readonly groupPrefix?: string;
}

/** Queries the brokers without changing them. Rejects where they do not answer. */
export const inspectKafka = async (
  target: KafkaTarget,
  topics: readonly BusTopic[],
  queues: readonly string[],
): Promise<KafkaState> => {
  const { brokers, security, topicPrefix = '', groupPrefix = 'roomwire.' } = target;
  const client = createKafkaClient({ brokers, security, clientId: 'roomwire-doctor', logger: undefined });
  const admin = client.admin();
  try {
    await admin.connect();
    const countOfBrokers = await admin.countBrokers();
    const existing = new Set(await admin.listTopics());
    const there = topics.filter(({ name }) => existing.has(topicPrefix + name));
    const found = await statesOf(admin, there, topicPrefix);
    const waiting = new Map<string, number>();
    for (const queue of queues)
      if (existing.has(topicPrefix + queue))
        waiting.set(queue, await waitingIn(admin, topicPrefix + queue, groupPrefix + topicPrefix + queue));
    return {
      brokers: countOfBrokers,
      topics: topics.map((declared) => ({ declared, found: found.get(declared.name) })),
      waiting,
    };
  } finally {
    await admin.disconnect().catch(() => undefined);
    client.cut();
  }
};

const statesOf = async (
  admin: KafkaAdmin,
  topics: readonly BusTopic[],
  prefix: string,
): Promise<ReadonlyMap<string, TopicState['found']>> => {
  if (topics.length === 0) return new Map();
  const found = await admin.describeTopics(topics.map(({ name }) => prefix + name));
  return new Map(
    topics.map(({ name }) => {
      const { partitions, config } = found.get(prefix + name) as DescribedTopic;
      const state = {
        partitions: partitions.length,
        fewestReplicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
        underReplicated: partitions.filter(({ isr, replicas }) => isr.length < replicas.length).length,
        retentionMs: Number(config.get('retention.ms')),
        cleanup: config.get('cleanup.policy') ?? '',
        maxRecordBytes: Number(config.get('max.message.bytes')),
      };
      return [name, state] as const;
    }),
  );
};

/** A group that has committed nothing starts with the first record. */
const waitingIn = async (admin: KafkaAdmin, topic: string, groupId: string): Promise<number> => {
  const [ends, committed] = [
    await admin.fetchOffsets(topic),
    await admin.fetchCommitted(topic, groupId).catch((): readonly number[] => []),
  ];
  return ends.reduce((sum, { partition, high, low }) => {
    const from = committed[partition] ?? -1;
    return sum + Math.max(0, high - (from < 0 ? low : from));
  }, 0);
};

/** Whether a broker at the address answers. */
export const kafkaAnswers = async (...brokers: readonly string[]): Promise<boolean> => {
  const client = createKafkaClient(
    { brokers, clientId: 'roomwire-probe', logger: undefined },
    { retries: 0 },
  );
  const admin = client.admin();
  try {
    await admin.connect();
    await admin.countBrokers();
    return true;
  } catch {
    return false;
  } finally {
    client.cut();
  }
};
