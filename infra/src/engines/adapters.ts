import { setTimeout as pause } from 'node:timers/promises';
import type { DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { ActivityStore } from '@roomwire/shared/ports/activityStore';
import type { AccessLog } from '@roomwire/shared/ports/accessLog';
import type { AuditIndex } from '@roomwire/shared/ports/auditIndex';
import type { ConnectionRecord } from '@roomwire/shared/ports/connectionRecord';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { History } from '@roomwire/shared/ports/history';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MeasuredBus, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { PayloadLimits, PayloadStore } from '@roomwire/shared/ports/payloadStore';
import type { PublishIds } from '@roomwire/shared/ports/publishIds';
import type { ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { ShardLeases } from '@roomwire/shared/ports/shardLeases';
import type { RoomEventStore } from '@roomwire/shared/ports/roomEventStore';
import type { RoomPast } from '@roomwire/shared/ports/roomPast';
import type { SessionStore } from '@roomwire/shared/ports/sessionStore';
import type { SnapshotStore } from '@roomwire/shared/ports/snapshotStore';
import type { RegisteredReader, ViewStore, ViewStores } from '@roomwire/shared/ports/viewStore';
import { Outage, type OutageReport } from '@roomwire/shared/runtime/outage';
import { backOffMs, withTimeout } from '@roomwire/shared/runtime/waiting';
import { createClosingStack, type ClosingStack } from '@roomwire/shared/runtime/closingStack';
import type { Engine, OpenContext, OpenedBus } from './engine.js';
import type { EnginePort, Engines } from './engines.js';
import { remedyOf } from './refusals.js';
import { openWholeFolder } from './files.js';

/** The ports whose engines are asked whether they answer. */
export type CheckedPort = 'event log' | 'read models' | 'message bus';

/** The adapter of each port on its engine, opened when it is first asked for. */
export interface Adapters {
  folder(): Promise<DataFolder>;
  log(): Promise<EventLog>;
  /** Read models and usage, which share one database. */
  viewStores(): Promise<ViewStores>;
  views(): Promise<ViewStore>;
  auditIndex(): Promise<AuditIndex>;
  bus(): Promise<MeasuredBus>;
  history(): Promise<History>;
  /** Undefined where the bus keeps nothing. */
  roomPast(): Promise<RoomPast | undefined>;
  /** Undefined where nothing has to be brought into the index. */
  historyArchiving(): Promise<OpenedBus['openArchiver']>;
  /** Undefined where gateways write into the record of connections themselves. */
  factIndexing(): Promise<OpenedBus['openFactIndexer']>;
  /** Undefined where the bus is on files, whose readers are all in one process. */
  groupFollowing(): Promise<OpenedBus['follow']>;
  /** For those that only watch the bus: readiness does not depend on it. */
  watchedBus(): Promise<Pick<MessageBus, 'read'>>;
  /** Undefined until it is first needed. */
  readonly openedBus: () => MeasuredBus | undefined;
  sessions(): Promise<SessionStore>;
  /** Only where messages are recorded. */
  messageStore(): Promise<MessageStore>;
  /** Only where messages are recorded. */
  groups(): Promise<GroupStore>;
  payloads(): Promise<PayloadStore>;
  accessLog(): Promise<AccessLog>;
  /** What happens in projects, minute by minute. */
  activity(): Promise<ActivityStore>;
  snapshots(): Promise<SnapshotStore>;
  publishIds(): Promise<PublishIds>;
  historyIndex(): Promise<HistoryIndex>;
  roomEvents(): Promise<RoomEventStore>;
  /** Publishes that wait for their time. */
  schedules(): Promise<ScheduleStore>;
  jobs(): Promise<JobStore>;
  connectionRecord(): Promise<ConnectionRecord>;
  /** For who owns shards: the process is a member as long as it does. */
  shardLeases(): Promise<ShardLeases>;
  /** What has been opened and does not answer within a second. */
  unreachable(): Promise<readonly CheckedPort[]>;
}

export interface AdapterDeps {
  readonly config: {
    readonly dataDir: string;
    readonly engines: Engines;
    readonly messageRecording: boolean;
    readonly payloadLimits: PayloadLimits;
    readonly deduplicationMs: number;
    readonly connectionRecordBytes: number;
  };
  /** The process as a reader of the read models; absent where it only writes them, and for commands. */
  readonly reader?: RegisteredReader | undefined;
  readonly logger: Logger;
  readonly closing: ClosingStack;
  /** Ends the waiting for engines that are not reachable yet. */
  readonly signal: AbortSignal;
}

interface Closeable {
  close(): Promise<void>;
}

export const createAdapters = ({ config, reader, logger, closing, signal }: AdapterDeps): Adapters => {
  const { eventLog, readModels, bus: busEngine } = config.engines;
  const checks = new Map<CheckedPort, () => Promise<boolean>>();
  const folder = memoized(() =>
    openWholeFolder(config.dataDir, (opened) => closing.push(() => opened.close())),
  );
  const { messageRecording, payloadLimits, deduplicationMs, connectionRecordBytes } = config;
  const contextOf = (engine: Engine): OpenContext => {
    const outage = outageOf(engine, logger);
    return {
      ...{ folder, messageRecording, payloadLimits, deduplicationMs, connectionRecordBytes },
      ...{ historyIndex: () => historyIndex(), reader, logger, outage },
    };
  };
  const contexts: Readonly<Record<EnginePort, OpenContext>> = {
    eventLog: contextOf(eventLog),
    readModels: contextOf(readModels),
    bus: { ...contextOf(busEngine), historyIndex: () => historyIndex() },
  };

  const opening = <T extends Closeable>(port: EnginePort, open: (context: OpenContext) => Promise<T>) =>
    memoized(async () => {
      const context = contexts[port];
      const adapter = await openWhenReachable(() => open(context), { outage: context.outage, signal });
      closing.push(() => adapter.close());
      return adapter;
    });
  const openingChecked = <T extends Closeable>(
    name: CheckedPort,
    port: EnginePort,
    open: (context: OpenContext) => Promise<T>,
    check: (adapter: T) => Promise<boolean>,
  ) => {
    const opened = opening(port, open);
    return async () => {
      const adapter = await opened();
      checks.set(name, () => check(adapter));
      return adapter;
    };
  };

  const historyIndex = opening('readModels', (of) => readModels.openHistoryIndex(of));
  let opened: OpenedBus | undefined;
  const bus = openingChecked(
    'message bus',
    'bus',
    async (of) => (opened = await busEngine.open(of)).bus,
    async ({ reachable }) => reachable,
  );
  const openedBus = async (): Promise<OpenedBus> => {
    await bus();
    if (opened === undefined) throw new Error('The message bus is not open');
    return opened;
  };

  const viewStores = openingChecked(
    'read models',
    'readModels',
    (of) => readModels.openViewStores(of),
    // Read models that are being made, or are left behind, answer no reader. A process that only writes them is at work on that.
    ({ views }) => (reader ? views.admitsReaders() : views.checkpoint().then(() => true)),
  );

  return {
    folder,
    log: openingChecked(
      'event log',
      'eventLog',
      (of) => eventLog.open(of),
      (log) => log.head().then(() => true),
    ),
    viewStores,
    views: async () => (await viewStores()).views,
    // These are on the server that the check of the read models asks.
    auditIndex: opening('readModels', (of) => readModels.openAuditIndex(of)),
    sessions: opening('readModels', (of) => readModels.openSessions(of)),
    groups: opening('readModels', (of) => readModels.openGroups(of)),
    payloads: opening('readModels', (of) => readModels.openPayloads(of)),
    accessLog: opening('readModels', (of) => readModels.openAccessLog(of)),
    activity: opening('readModels', (of) => readModels.openActivity(of)),
    snapshots: opening('readModels', (of) => readModels.openSnapshots(of)),
    publishIds: opening('readModels', (of) => readModels.openPublishIds(of)),
    historyIndex,
    roomEvents: opening('readModels', (of) => readModels.openRoomEvents(of)),
    schedules: opening('readModels', (of) => readModels.openSchedules(of)),
    jobs: opening('readModels', (of) => readModels.openJobs(of)),
    shardLeases: opening('readModels', (of) => readModels.openShardLeases(of)),
    connectionRecord: opening('readModels', (of) => readModels.openConnectionRecord(of)),
    bus,
    history: memoized(async () => (await openedBus()).openHistory()),
    roomPast: async () => (await openedBus()).openRoomPast?.(),
    historyArchiving: async () => (await openedBus()).openArchiver,
    factIndexing: async () => (await openedBus()).openFactIndexer,
    groupFollowing: async () => (await openedBus()).follow,
    // Files have one bus, engines any number of clients.
    watchedBus: busEngine.onFiles ? bus : opening('bus', async (of) => (await busEngine.open(of)).bus),
    openedBus: () => opened?.bus,
    messageStore: opening('bus', async () => (await openedBus()).openMessageStore()),
    async unreachable() {
      const checked = await Promise.all(
        [...checks].map(async ([name, check]) => ({ name, answers: await withinASecond(check()) })),
      );
      return checked.filter(({ answers }) => !answers).map(({ name }) => name);
    },
  };
};

/** For a command that ends by itself: the adapters are closed when `use` has ended. */
export const withAdapters = async <T>(
  config: AdapterDeps['config'],
  logger: Logger,
  use: (adapters: Adapters) => Promise<T>,
): Promise<T> => {
  const closing = createClosingStack();
  const { signal } = new AbortController();
  try {
    return await use(createAdapters({ config, logger, closing, signal }));
  } finally {
    await closing.closeAll();
  }
};

/** Runs once, when it is first asked. */
export const memoized = <T>(open: () => Promise<T>): (() => Promise<T>) => {
  let opened: Promise<T> | undefined;
  return () => (opened ??= open());
};

const betweenTries = { firstMs: 250, longestMs: 5_000 };

/** One for all that is on the engine, so that its absence is told once. */
const outageOf = ({ name, onFiles, remedies }: Engine, logger: Logger): Outage => {
  const engine = onFiles ? 'The data folder' : name;
  return new Outage({
    logger,
    lost: `${engine} cannot be reached`,
    back: `${engine} is within reach again`,
    remedyFor: (error) => remedyOf(remedies, error),
  });
};

/** Services and engines may start in any order. Errors other than `EngineUnavailable` end the start. */
const openWhenReachable = async <T>(
  open: () => Promise<T>,
  { outage, signal }: { readonly outage: OutageReport; readonly signal: AbortSignal },
): Promise<T> => {
  for (let failures = 1; ; failures += 1) {
    try {
      const opened = await open();
      if (failures > 1) outage.over();
      return opened;
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      outage.failed(error);
      await pause(backOffMs(betweenTries, failures), undefined, { signal });
    }
  }
};

const withinASecond = (check: Promise<boolean>): Promise<boolean> =>
  withTimeout(
    1_000,
    check.catch(() => false),
    () => false,
  );
