import { openEmbeddedAuditIndex } from '@roomwire/shared/adapters/audit-index/embeddedAuditIndex';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openEmbeddedGroupStore } from '@roomwire/shared/adapters/group-store/embeddedGroupStore';
import { openDataFolder, type DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import type { KafkaMessageBus } from '@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus';
import { openEmbeddedMessageStore } from '@roomwire/shared/adapters/message-store/embeddedMessageStore';
import { openEmbeddedSessionStore } from '@roomwire/shared/adapters/session-store/embeddedSessionStore';
import { openEmbeddedViewStore } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { busTopics, recordTopics } from '@roomwire/shared/wire/bus/busTopics';
import type { AuditIndex } from '@roomwire/shared/ports/auditIndex';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MeasuredBus, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { SessionStore } from '@roomwire/shared/ports/sessionStore';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { requireWhole } from '../backup/unfinishedRestore.js';
import type { Config } from '../config/config.js';
import type { ClosingStack } from './closingStack.js';
import { openWhenReachable } from './openWhenReachable.js';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

/** The engine behind each port, opened when it is first asked for. */
export interface Adapters {
  folder(): Promise<DataFolder>;
  log(): Promise<EventLog>;
  views(): Promise<ViewStore>;
  /** Beside the read models, on the same engine. */
  auditIndex(): Promise<AuditIndex>;
  bus(): Promise<MeasuredBus>;
  /** For whoever only watches what is on the bus: nobody's readiness hangs on it. */
  watchedBus(): Promise<Pick<MessageBus, 'read'>>;
  /** Undefined as long as nobody has needed it. */
  readonly openedBus: () => MeasuredBus | undefined;
  /** Beside the read models, on the same engine. */
  sessions(): Promise<SessionStore>;
  /** On the engine of the bus. Only for where messages are recorded. */
  messageStore(): Promise<MessageStore>;
  /** Beside the sessions. Only for where messages are recorded. */
  groups(): Promise<GroupStore>;
  /** Whether every engine that has been opened answers, within a second. */
  areReachable(): Promise<boolean>;
}

export interface AdapterDeps {
  readonly config: Config;
  readonly logger: Logger;
  readonly closing: ClosingStack;
  /** Ends the waiting for engines that are not there yet. */
  readonly signal: AbortSignal;
}

interface Closeable {
  close(): Promise<void>;
}

/**
 * The one place that knows which engine a port has: a URL in the configuration decides for each port alone. The client
 * libraries of the engines are loaded only where they are used; together they take longer than the whole start.
 */
export const createAdapters = ({ config, logger, closing, signal }: AdapterDeps): Adapters => {
  const checks: (() => Promise<boolean>)[] = [];
  const opening = <T extends Closeable>(
    name: string,
    open: () => Promise<T>,
    check: (it: T) => Promise<boolean>,
  ) =>
    memoized(async () => {
      const adapter = await openWhenReachable(name, open, { logger, signal });
      closing.push(() => adapter.close());
      checks.push(() => check(adapter));
      return adapter;
    });

  const folder = memoized(async () => {
    const opened = await openDataFolder(config.dataDir);
    closing.push(() => opened.close());
    await requireWhole(opened);
    return opened;
  });
  const { eventStoreUrl, mongodbUrl, kafkaBrokers, kafkaSecurity, messageRecording } = config;

  let openedBus: MeasuredBus | undefined;
  const openBus = async (): Promise<MeasuredBus> => {
    if (kafkaBrokers === undefined) return openEmbeddedMessageBus(await folder(), { logger });
    const { openKafkaMessageBus } =
      await import('@roomwire/shared/adapters/message-bus/kafka/kafkaMessageBus');
    const topics = messageRecording ? [...busTopics, ...recordTopics] : busTopics;
    const brokers = { brokers: kafkaBrokers, security: kafkaSecurity };
    return openKafkaMessageBus({ ...brokers, clientId: 'roomwire', topics, logger });
  };
  const bus = opening('message bus', async () => (openedBus = await openBus()), isReachable);

  return {
    folder,
    log: opening(
      'event log',
      async () => {
        if (eventStoreUrl === undefined) return openEmbeddedEventLog(await folder());
        const { openEventStoreDbLog } =
          await import('@roomwire/shared/adapters/event-log/eventstoredb/eventStoreDbLog');
        return openEventStoreDbLog({ url: eventStoreUrl, logger });
      },
      (log) => log.head().then(() => true),
    ),
    views: opening(
      'read models',
      async () => {
        if (mongodbUrl === undefined) return openEmbeddedViewStore(await folder(), { logger });
        const { openMongoViewStore } =
          await import('@roomwire/shared/adapters/view-store/mongo/mongoViewStore');
        return openMongoViewStore({ url: mongodbUrl, logger });
      },
      (views) => views.checkpoint().then(() => true),
    ),
    auditIndex: opening(
      'audit index',
      async () => {
        if (mongodbUrl === undefined) return openEmbeddedAuditIndex(await folder());
        const { openMongoAuditIndex } = await import('@roomwire/shared/adapters/audit-index/mongoAuditIndex');
        return openMongoAuditIndex({ url: mongodbUrl, logger });
      },
      // The read models' check is of the same server.
      async () => true,
    ),
    sessions: opening(
      'sessions',
      async () => {
        if (mongodbUrl === undefined) return openEmbeddedSessionStore(await folder(), Date.now());
        const { openMongoSessionStore } =
          await import('@roomwire/shared/adapters/session-store/mongoSessionStore');
        return openMongoSessionStore({ url: mongodbUrl, logger });
      },
      // The read models' check is of the same server.
      async () => true,
    ),
    groups: opening(
      'worker groups',
      async () => {
        if (mongodbUrl === undefined) return openEmbeddedGroupStore(await folder(), Date.now());
        const { openMongoGroupStore } = await import('@roomwire/shared/adapters/group-store/mongoGroupStore');
        return openMongoGroupStore({ url: mongodbUrl, logger });
      },
      // The read models' check is of the same server.
      async () => true,
    ),
    bus,
    // Files have one bus, brokers any number of clients.
    watchedBus: kafkaBrokers === undefined ? bus : opening('message bus', openBus, async () => true),
    openedBus: () => openedBus,
    messageStore: opening(
      'message store',
      async () => {
        if (kafkaBrokers === undefined) return openEmbeddedMessageStore(await folder(), { logger });
        const { createKafkaMessageStore } =
          await import('@roomwire/shared/adapters/message-store/kafkaMessageStore');
        return createKafkaMessageStore((await bus()) as KafkaMessageBus);
      },
      // Of files, or of the same brokers as the bus.
      async () => true,
    ),
    areReachable: async () =>
      (await Promise.all(checks.map((check) => withinASecond(check())))).every(Boolean),
  };
};

const isReachable = async ({ reachable }: MeasuredBus): Promise<boolean> => reachable;

const memoized = <T>(open: () => Promise<T>): (() => Promise<T>) => {
  let opened: Promise<T> | undefined;
  return () => (opened ??= open());
};

const withinASecond = (check: Promise<boolean>): Promise<boolean> =>
  withTimeout(
    1_000,
    check.catch(() => false),
    () => false,
  );
