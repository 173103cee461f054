import type { Admin, Kafka, Producer } from 'kafkajs';
import { createKafkaClient, noRetry, type KafkaConnection } from './kafkaClient.js';
import { createPartitionReader, type PartitionReader } from './partitionReader.js';
import { Reachability } from './reachability.js';
import { Renewable, type Connectable } from './renewable.js';
import type { ConsumerSurroundings } from './supervisedConsumer.js';

/** The clients of one bus: one to send with, one to ask with, one to look back with, and one for each consumer. */
export interface KafkaClients {
  readonly reachability: Reachability;
  readonly admin: Renewable<Admin>;
  readonly producer: Renewable<Producer>;
  readonly reader: Renewable<PartitionReader>;
  readonly consumers: ConsumerSurroundings;
  close(): Promise<void>;
}

/**
 * Never `idempotent`: after a failed send the library gives its sequence numbers to other records, which the broker
 * then takes for copies: it acknowledges and drops them.
 */
const createProducer = (kafka: Kafka): Producer =>
  kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner:
      () =>
      ({ message }) =>
        message.partition ?? 0,
  });

const createAdmin = (kafka: Kafka): Admin => kafka.admin();

export const createKafkaClients = (connection: KafkaConnection): KafkaClients => {
  const { logger } = connection;
  const reachability = new Reachability(() => admin.use((client) => client.describeCluster()), logger);
  const renewable = <Client extends Connectable>(create: (kafka: Kafka) => Client): Renewable<Client> =>
    new Renewable(() => {
      const { kafka, cut } = createKafkaClient(connection, noRetry);
      return { client: create(kafka), cut };
    }, reachability);
  const admin = renewable(createAdmin);
  const producer = renewable(createProducer);
  const reader = renewable(createPartitionReader);
  return {
    reachability,
    admin,
    producer,
    reader,
    consumers: { client: () => createKafkaClient(connection), outcome: reachability, logger },
    close: async () => {
      reachability.close();
      await Promise.all([admin.close(), producer.close(), reader.close()]);
    },
  };
};
