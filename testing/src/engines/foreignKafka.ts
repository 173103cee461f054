import { Buffer } from 'node:buffer';
import kafkajs, { Kafka, type Admin } from 'kafkajs';

/** A client that knows nothing of Roomwire: a witness of what brokers hold, and a writer past the bus. */
export const foreignKafka = (brokers: readonly string[]): Kafka =>
  new Kafka({
    brokers: [...brokers],
    clientId: 'foreign',
    requestTimeout: 10_000,
    logLevel: kafkajs.logLevel.NOTHING,
  });

export const withForeignAdmin = async <T>(
  brokers: readonly string[],
  use: (admin: Admin) => Promise<T>,
): Promise<T> => {
  const admin = foreignKafka(brokers).admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
};

export const topicResource = kafkajs.ConfigResourceTypes.TOPIC;

/** The partition that another program would choose for the key. */
export const partitionByForeignClient = (key: Uint8Array, partitions: number): number => {
  const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
    partitionId,
    partitionErrorCode: 0,
    leader: 1,
    replicas: [1],
    isr: [1],
  }));
  const message = { key: Buffer.from(key), value: null };
  return kafkajs.Partitioners.DefaultPartitioner()({ topic: 'any', partitionMetadata, message });
};
