import type { Logger } from '@roomwire/shared/ports/logger';
import type { KafkaAdmin } from '@roomwire/shared/adapters/message-bus/kafka/kafkaClient';
import { createKafkaClients } from '@roomwire/shared/adapters/message-bus/kafka/kafkaClients';
import type { KafkaSecurity } from '@roomwire/shared/adapters/message-bus/kafka/kafkaSettings';
import { Outage } from '@roomwire/shared/runtime/outage';
import { KafkaRecords } from './kafkaRecords.js';

export interface KafkaSource {
  readonly brokers: readonly string[];
  readonly security: KafkaSecurity;
  readonly topic: string;
  readonly groupId: string;
  /** Of a group that has not committed anything; otherwise it begins with what comes from now on. */
  readonly fromBeginning: boolean;
}

export interface OpenedRecords {
  readonly records: KafkaRecords;
  close(): Promise<void>;
}

/** Joins the group. Rejects where the brokers do not answer, or have no such topic. */
export const openKafkaRecords = async (source: KafkaSource, logger: Logger): Promise<OpenedRecords> => {
  const { brokers, security, topic, groupId } = source;
  const outage = new Outage({
    ...{ logger, lost: 'Kafka is out of reach', back: 'Kafka is within reach again' },
  });
  const clients = createKafkaClients(
    { brokers, security, clientId: 'roomwire-ingest', logger, outage },
    // It writes nothing.
    () => Promise.resolve(true),
  );
  try {
    const starts = await clients.admin.use((admin) => startsOf(admin, source));
    const records = new KafkaRecords({ topic, groupId, starts, context: clients.consumers, logger });
    await records.start();
    return {
      records,
      close: async () => {
        await records.close();
        await clients.close();
      },
    };
  } catch (error) {
    await clients.close();
    throw error;
  }
};

/** By partition. */
const startsOf = async (
  admin: KafkaAdmin,
  { topic, groupId, fromBeginning }: KafkaSource,
): Promise<ReadonlyMap<number, number>> => {
  if (!(await admin.listTopics()).includes(topic)) throw new Error(`There is no topic ${topic}`);
  const committed = await admin.fetchCommitted(topic, groupId);
  if (fromBeginning || committed.some((offset) => offset !== undefined && offset >= 0)) return new Map();
  return new Map((await admin.fetchOffsets(topic)).map(({ partition, high }) => [partition, high]));
};
