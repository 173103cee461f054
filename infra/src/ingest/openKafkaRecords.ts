import type { Logger } from '@roomwire/shared/ports/logger';
import type { KafkaAdmin } from '@roomwire/shared/adapters/message-bus/kafka/kafkaClient';
import { createKafkaClients } from '@roomwire/shared/adapters/message-bus/kafka/kafkaClients';
import type { KafkaSecurity } from '@roomwire/shared/adapters/message-bus/kafka/kafkaSettings';
import { PermanentError, untilAnswered } from '@roomwire/shared/adapters/message-bus/kafka/renewableClient';
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

/** Brokers that have just started look for the coordinator of the group. */
const answerWithinMs = 10_000;
const notCommitted = -1;

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
  /** What a consumer commits that has just joined may come to nothing, without an error. */
  const keep = async (records: KafkaRecords, starts: ReadonlyMap<number, number>): Promise<void> => {
    await records.commitStarts(starts);
    const committed = await clients.admin.use((admin) => admin.fetchCommitted(topic, groupId));
    const isKept = (partition: number): boolean => (committed[partition] ?? notCommitted) !== notCommitted;
    if (![...starts.keys()].every(isKept)) throw new Error('The group cannot commit where it begins');
  };
  try {
    const starts = await untilAnswered(
      () => clients.admin.use((admin) => startsOf(admin, source)),
      answerWithinMs,
    );
    const records = new KafkaRecords({ topic, groupId, starts, context: clients.consumers, logger });
    await records.start();
    await untilAnswered(() => keep(records, starts), answerWithinMs);
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
  if (!(await admin.listTopics()).includes(topic)) throw new PermanentError(`There is no topic ${topic}`);
  const committed = await admin.fetchCommitted(topic, groupId);
  if (fromBeginning || committed.some((offset = notCommitted) => offset !== notCommitted)) return new Map();
  return new Map((await admin.fetchOffsets(topic)).map(({ partition, high }) => [partition, high]));
};
