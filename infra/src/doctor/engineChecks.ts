import { busTopics, recordTopics } from '@roomwire/shared/wire/bus/busTopics';
import { webhookBacklog, webhookCalls, webhookRetries } from '@roomwire/shared/wire/bus/webhookCalls';
import { formerWebhookReports, webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Config } from '../config/config.js';
import { failure, ok, warning, type Finding } from './finding.js';
import { judgeClock, judgeQueue, judgeVersion, type Lag } from './rules.js';
import { judgeReplicas, judgeTopics } from './topicRules.js';

const answersWithinMs = 5_000;

const start = 'Start it, and see whether its address, its credentials and the network are right';

/** What the client says may hold parts of the URL: its kind is told, and the code of the system. */
const kindOf = (error: unknown): string => {
  const { name, code, cause } = error as NodeJS.ErrnoException & { readonly cause?: unknown };
  const inner = cause === undefined ? undefined : (cause as NodeJS.ErrnoException).code;
  return [name, code ?? inner].filter((each) => each !== undefined).join(' ');
};

export const checkEventStore = async ({ eventStoreUrl }: Config): Promise<readonly Finding[]> => {
  if (eventStoreUrl === undefined) return [];
  try {
    const { eventStoreDbVersion } =
      await import('@roomwire/shared/adapters/event-log/eventstoredb/inspectEventStoreDb');
    return [
      judgeVersion('EventStoreDB', await eventStoreDbVersion(eventStoreUrl, answersWithinMs), [22, 10]),
    ];
  } catch (error) {
    return [failure('EventStoreDB', `out of reach (${kindOf(error)})`, start)];
  }
};

export interface MongoReport {
  readonly findings: readonly Finding[];
  /** By follower of the log; undefined where the server is away. */
  readonly checkpoints: ReadonlyMap<Lag['follower'], LogPosition | undefined> | undefined;
}

export const checkMongo = async ({ mongodbUrl }: Config): Promise<MongoReport> => {
  if (mongodbUrl === undefined) return { findings: [], checkpoints: undefined };
  try {
    const { inspectMongo } = await import('@roomwire/shared/adapters/view-store/mongo/inspectMongo');
    const state = await inspectMongo({ url: mongodbUrl });
    return {
      findings: [
        judgeVersion('MongoDB', state.version, [5, 0]),
        state.isReplicaSet
          ? ok('MongoDB', 'a replica set')
          : warning('MongoDB', 'stands alone', 'Make it a replica set, where it must survive a machine'),
        indexes(state.missingIndexes),
        judgeClock('MongoDB', state.clockAheadMs),
        ...(state.isBuilding ? [unfinishedRebuild] : []),
      ],
      checkpoints: new Map([
        ['read models', state.viewsCheckpoint],
        ['audit index', state.auditCheckpoint],
      ]),
    };
  } catch (error) {
    return {
      findings: [failure('MongoDB', `out of reach (${kindOf(error)})`, start)],
      checkpoints: undefined,
    };
  }
};

const unfinishedRebuild = warning(
  'rebuild',
  'one is under way, or was killed',
  'Where none runs, run `roomwire projections rebuild` again',
);

const indexes = (missing: readonly string[] | undefined): Finding => {
  if (missing === undefined) return ok('indexes', 'there are no read models yet');
  if (missing.length === 0) return ok('indexes', 'all there');
  return failure('indexes', `missing: ${missing.join(', ')}`, 'Restart projections, which makes them');
};

const queues = [webhookCalls, ...webhookRetries, webhookBacklog, webhookReports, formerWebhookReports].map(
  ({ name }) => name,
);

export const checkKafka = async (config: Config): Promise<readonly Finding[]> => {
  const { kafkaBrokers, kafkaSecurity, messageRecording } = config;
  if (kafkaBrokers === undefined) return [];
  try {
    const { inspectKafka } = await import('@roomwire/shared/adapters/message-bus/kafka/inspectKafka');
    const topics = messageRecording ? [...busTopics, ...recordTopics] : busTopics;
    const state = await inspectKafka({ brokers: kafkaBrokers, security: kafkaSecurity }, topics, queues);
    return [
      ok('Kafka', `within reach, ${state.brokers} broker${state.brokers === 1 ? '' : 's'}`),
      judgeReplicas(state),
      ...judgeTopics(state.topics),
      ...Array.from(state.waiting, ([queue, waiting]) => judgeQueue(queue, waiting)),
    ];
  } catch (error) {
    return [failure('Kafka', `out of reach (${kindOf(error)})`, start)];
  }
};
