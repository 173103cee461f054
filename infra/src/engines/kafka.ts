import type { KafkaSecurity } from '@roomwire/shared/adapters/message-bus/kafka/kafkaSettings';
import type {
  KafkaGroups,
  KafkaPartitions,
} from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { IndexedHistory } from '@roomwire/shared/history/indexedHistory';
import { busTopics, recordTopics } from '@roomwire/shared/wire/bus/busTopics';
import { connectionFacts } from '@roomwire/shared/wire/bus/connectionFacts';
import { liveMessages } from '@roomwire/shared/wire/bus/liveMessage';
import { webhookBacklog, webhookCalls, webhookRetries } from '@roomwire/shared/wire/bus/webhookCalls';
import { formerWebhookReports, webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import type { BusEngine, EngineRow, OpenContext, OpenedBus } from './engine.js';
import { ok } from './finding.js';
import type { Remedies } from './refusals.js';
import { judgeQueue, judgeReplicas, judgeTopics } from './kafkaFindings.js';
import { brokersOf, readKafkaSecurity } from './kafkaSecurity.js';

const name = 'Kafka';
const variable = 'ROOMWIRE_KAFKA_BROKERS';

const queues = [webhookCalls, ...webhookRetries, webhookBacklog, webhookReports, formerWebhookReports].map(
  (queue) => queue.name,
);

const topicsOf = (messageRecording: boolean) =>
  messageRecording ? [...busTopics, ...recordTopics] : busTopics;

const remedies: Remedies = {
  certificate:
    'Name the authority of their certificates in ROOMWIRE_KAFKA_CA_FILE, and see ROOMWIRE_KAFKA_TLS',
  password: 'Correct ROOMWIRE_KAFKA_USERNAME, ROOMWIRE_KAFKA_PASSWORD and ROOMWIRE_KAFKA_SASL_MECHANISM',
  rights:
    'Let the user in ROOMWIRE_KAFKA_USERNAME read, write, create and describe the topics, and read its groups',
  'no leader': 'See which brokers are away, and start them',
  'unknown host': `Correct the addresses in ${variable}, and those that the brokers advertise`,
  away: `Start it, and check the addresses in ${variable} and the network`,
};

interface HistoryDeps extends Pick<OpenContext, 'historyIndex' | 'logger'> {
  readonly bus: KafkaPartitions;
  readonly follow: KafkaGroups['follow'];
}

const openingHistory = ({
  bus,
  follow,
  historyIndex,
  logger,
}: HistoryDeps): Pick<OpenedBus, 'openHistory' | 'openArchiver' | 'openRoomPast'> => ({
  async openHistory() {
    const { KafkaHistoryPartitions } =
      await import('@roomwire/shared/adapters/history/kafkaHistoryPartitions');
    const [index, partitions] = [await historyIndex(), await bus.partitions(liveMessages)];
    return new IndexedHistory(index, new KafkaHistoryPartitions({ partitions, index, logger }));
  },
  async openRoomPast() {
    const { KafkaRoomPast } = await import('@roomwire/shared/adapters/history/kafkaRoomPast');
    return new KafkaRoomPast({ partitions: await bus.partitions(liveMessages), logger });
  },
  async openArchiver(clock) {
    const { HistoryArchiver } = await import('@roomwire/shared/adapters/history/historyArchiver');
    const [index, partitions] = [await historyIndex(), await bus.partitions(liveMessages)];
    return new HistoryArchiver({ follow, partitions, index, clock, logger });
  },
});

const kafka = (brokers: readonly string[], security: KafkaSecurity): BusEngine => ({
  ...{ name, onFiles: false, settings: { brokers, security }, remedies },
  async open({ messageRecording, historyIndex, logger, outage }) {
    const { openKafkaMessageBus } =
      await import('@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus');
    const { VersionedBus } = await import('@roomwire/shared/adapters/message-bus/versionedBus');
    const topics = topicsOf(messageRecording);
    const kafkaBus = await openKafkaMessageBus({
      ...{ brokers, security, clientId: 'roomwire', topics },
      ...{ logger, outage },
    });
    const bus = new VersionedBus(kafkaBus, { logger });
    const follow: KafkaGroups['follow'] = async (stream, group, follower) => {
      await bus.announce(stream);
      return kafkaBus.follow(stream, group, follower);
    };
    return {
      bus,
      async openMessageStore() {
        const { createKafkaMessageStore } =
          await import('@roomwire/shared/adapters/message-store/kafkaMessageStore');
        return createKafkaMessageStore({
          // Gateways that replay recorded messages read of them what they read of `messages`.
          store: (channel, record, timestamp) =>
            kafkaBus.store(bus.written(channel, liveMessages), record, timestamp),
          history: (channel, key, sinceMs) => kafkaBus.history(channel, key, sinceMs),
        });
      },
      follow,
      async openFactIndexer(record) {
        const { FactIndexer } = await import('@roomwire/shared/adapters/connection-record/factIndexer');
        const partitions = await kafkaBus.partitions(connectionFacts);
        return new FactIndexer({ follow, partitions, record, logger });
      },
      ...openingHistory({ bus: kafkaBus, follow, historyIndex, logger }),
    };
  },
  async inspect({ messageRecording }) {
    const { inspectKafka } = await import('@roomwire/shared/adapters/message-bus/kafka/inspectKafka');
    const state = await inspectKafka({ brokers, security }, topicsOf(messageRecording), queues);
    return [
      ok(name, `within reach, ${state.brokers} broker${state.brokers === 1 ? '' : 's'}`),
      judgeReplicas(state),
      ...judgeTopics(state.topics),
      ...Array.from(state.waiting, ([queue, waiting]) => judgeQueue(queue, waiting)),
    ];
  },
});

export const kafkaRow: EngineRow<BusEngine> = {
  variable,
  read(read, problems) {
    const security = readKafkaSecurity(read, problems);
    const list = read.text(variable);
    if (list === undefined) return undefined;
    const brokers = brokersOf(list);
    if (brokers === undefined)
      problems.push(`${variable} must be host:port, several with commas between them`);
    return kafka(brokers ?? [], security);
  },
};
