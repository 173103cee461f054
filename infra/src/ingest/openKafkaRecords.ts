import type { Logger } from '@roomwire/shared/ports/logger';
import type { KafkaAdmin } from '@roomwire/shared/adapters/message-bus/kafka/kafkaClient';
import { createKafkaClients } from '@roomwire/shared/adapters/message-bus/kafka/kafkaClients';
import type { KafkaSecurity } from '@roomwire/shared/adapters/message-bus/kafka/kafkaSettings';
import { PermanentError, untilAnswered } from '@roomwire/shared/adapters/message-bus/kafka/renewableClient';
import { Outage } from '@roomwire/shared/runtime/outage';
import { untilAborted } from '@roomwire/shared/runtime/waiting';
import { joinGroup } from './joinGroup.js';
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

/** Longer than the session of a member that was killed. */
const joinWithinMs = 60_000;
/** Brokers that have just started look for the coordinator of the group. */
const answerWithinMs = 10_000;
const notCommitted = -1;

/** Joins the group. Rejects where the brokers do not answer, have no such topic, or do not let it in, and when the signal aborts. */
export const openKafkaRecords = async (
  source: KafkaSource,
  logger: Logger,
  signal: AbortSignal,
): Promise<OpenedRecords> => {
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
  const answered = <T>(attempt: () => Promise<T>): Promise<T> =>
    untilAborted(untilAnswered(attempt, answerWithinMs), signal);
  let records: KafkaRecords | undefined;
  const close = async (): Promise<void> => {
    await records?.close();
    await clients.close();
  };
  try {
    const starts = await answered(() => clients.admin.use((admin) => startsOf(admin, source)));
    const joining = new KafkaRecords({ topic, groupId, starts, context: clients.consumers, logger });
    records = joining;
    await joinGroup(joining, { signal, withinMs: joinWithinMs });
    await answered(() => keep(joining, starts));
    return { records: joining, close };
  } catch (error) {
    await close();
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
