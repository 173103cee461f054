import { createKafkaClient, noRetry } from './kafkaClient.js';

/** Whether a broker at the address takes requests. */
export const kafkaAnswers = async (...brokers: readonly string[]): Promise<boolean> => {
  const client = createKafkaClient({ brokers, clientId: 'roomwire-probe', logger: undefined }, noRetry);
  const admin = client.kafka.admin();
  try {
    await admin.connect();
    await admin.describeCluster();
    return true;
  } catch {
    return false;
  } finally {
    client.cut();
  }
};
