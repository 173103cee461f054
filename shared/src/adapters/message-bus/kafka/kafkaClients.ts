import type {
  Connectable,
  KafkaAdmin,
  KafkaClient,
  LeaderFinder,
  PartitionReader,
  PartitionWriter,
} from './kafkaClient.js';
import { createKafkaClient } from './kafkajs/kafkajsClient.js';
import { requestTimeoutMs, type KafkaConnection } from './kafkaSettings.js';
import { Reachability } from './reachability.js';
import { Renewable } from './renewableClient.js';
import type { ConsumerContext } from './supervisedConsumer.js';

/** The clients of one bus: one that asks, one that looks for leaders, one that reads back, and one for each leader and consumer. */
export interface KafkaClients {
  readonly reachability: Reachability;
  readonly admin: Renewable<KafkaAdmin>;
  readonly leaders: Renewable<LeaderFinder>;
  readonly writerTo: (leader: number) => Renewable<PartitionWriter>;
  readonly reader: Renewable<PartitionReader>;
  readonly consumers: ConsumerContext;
  close(): Promise<void>;
}

/** `takesRecords`: whether a partition that this process writes takes records, as of a moment after the call. */
/** A broker that is suspended answers nobody: another one is asked while those that wait to send still may. */
const lookForLeadersMs = 3_000;

export const createKafkaClients = (
  connection: KafkaConnection,
  takesRecords: () => Promise<boolean>,
): KafkaClients => {
  const { logger, outage } = connection;
  const reachability = new Reachability(
    { answers: () => admin.use((client) => client.countBrokers()), takesRecords },
    outage,
  );
  // One broker of several may be away: whether others answer is asked before anything is refused.
  const outcome = { answered: () => reachability.answered(), failed: () => void reachability.doubted() };
  const renewable = <Client extends Connectable>(
    create: (client: KafkaClient) => Client,
    timeoutMs = requestTimeoutMs,
  ): Renewable<Client> =>
    new Renewable(() => {
      const client = createKafkaClient(connection, { retries: 0, requestTimeoutMs: timeoutMs });
      return { client: create(client), cut: client.cut };
    }, outcome);
  const admin = renewable((client) => client.admin());
  const leaders = renewable((client) => client.leaderFinder(), lookForLeadersMs);
  const writers = new Map<number, Renewable<PartitionWriter>>();
  const reader = renewable((client) => client.reader());
  return {
    reachability,
    admin,
    leaders,
    writerTo: (leader) => {
      const writer = writers.get(leader) ?? renewable((client) => client.writerTo(leader));
      writers.set(leader, writer);
      return writer;
    },
    reader,
    consumers: { client: () => createKafkaClient(connection), outcome: reachability, logger },
    close: async () => {
      reachability.close();
      await Promise.all([admin, leaders, ...writers.values(), reader].map((client) => client.close()));
    },
  };
};
