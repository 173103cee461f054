import { setTimeout as pause } from 'node:timers/promises';
import type { DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { AccessLog } from '@roomwire/shared/ports/accessLog';
import type { AuditIndex } from '@roomwire/shared/ports/auditIndex';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MeasuredBus, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { PayloadLimits, PayloadStore } from '@roomwire/shared/ports/payloadStore';
import type { SessionStore } from '@roomwire/shared/ports/sessionStore';
import type { ViewStore, ViewStores } from '@roomwire/shared/ports/viewStore';
import { backOffMs, withTimeout } from '@roomwire/shared/runtime/waiting';
import { createClosingStack, type ClosingStack } from '@roomwire/shared/runtime/closingStack';
import type { OpenContext, OpenedBus } from './engine.js';
import type { Engines } from './engines.js';
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
  /** What has been opened and does not answer within a second. */
  unreachable(): Promise<readonly CheckedPort[]>;
}

export interface AdapterDeps {
  readonly config: {
    readonly dataDir: string;
    readonly engines: Engines;
    readonly messageRecording: boolean;
    readonly payloadLimits: PayloadLimits;
  };
  readonly logger: Logger;
  readonly closing: ClosingStack;
  /** Ends the waiting for engines that are not reachable yet. */
  readonly signal: AbortSignal;
}

interface Closeable {
  close(): Promise<void>;
}

export const createAdapters = ({ config, logger, closing, signal }: AdapterDeps): Adapters => {
  const { eventLog, readModels, bus: busEngine } = config.engines;
  const checks = new Map<CheckedPort, () => Promise<boolean>>();
  const opening = <T extends Closeable>(name: string, open: (context: OpenContext) => Promise<T>) =>
    memoized(async () => {
      const adapter = await openWhenReachable(name, () => open(context), { logger, signal });
      closing.push(() => adapter.close());
      return adapter;
    });
  const openingChecked = <T extends Closeable>(
    name: CheckedPort,
    open: (context: OpenContext) => Promise<T>,
    check: (adapter: T) => Promise<boolean>,
  ) => {
    const opened = opening(name, open);
    return async () => {
      const adapter = await opened();
      checks.set(name, () => check(adapter));
      return adapter;
    };
  };

  const folder = memoized(() =>
    openWholeFolder(config.dataDir, (opened) => closing.push(() => opened.close())),
  );
  const { messageRecording, payloadLimits } = config;
  const context: OpenContext = { folder, messageRecording, payloadLimits, logger };

  let opened: OpenedBus | undefined;
  const bus = openingChecked(
    'message bus',
    async () => (opened = await busEngine.open(context)).bus,
    async ({ reachable }) => reachable,
  );
  const openedBus = async (): Promise<OpenedBus> => {
    await bus();
    if (opened === undefined) throw new Error('The message bus is not open');
    return opened;
  };

  const viewStores = openingChecked(
    'read models',
    (of) => readModels.openViewStores(of),
    ({ views }) => views.checkpoint().then(() => true),
  );

  return {
    folder,
    log: openingChecked(
      'event log',
      (of) => eventLog.open(of),
      (log) => log.head().then(() => true),
    ),
    viewStores,
    views: async () => (await viewStores()).views,
    // These are on the server that the check of the read models asks.
    auditIndex: opening('audit index', (of) => readModels.openAuditIndex(of)),
    sessions: opening('sessions', (of) => readModels.openSessions(of)),
    groups: opening('worker groups', (of) => readModels.openGroups(of)),
    payloads: opening('payloads', (of) => readModels.openPayloads(of)),
    accessLog: opening('access log', (of) => readModels.openAccessLog(of)),
    bus,
    groupFollowing: async () => (await openedBus()).follow,
    // Files have one bus, engines any number of clients.
    watchedBus: busEngine.onFiles
      ? bus
      : opening('message bus', async (of) => (await busEngine.open(of)).bus),
    openedBus: () => opened?.bus,
    messageStore: opening('message store', async () => (await openedBus()).openMessageStore()),
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

/** Services and engines may start in any order. Errors other than `EngineUnavailable` end the start. */
const openWhenReachable = async <T>(
  name: string,
  open: () => Promise<T>,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<T> => {
  for (let failures = 1; ; failures += 1) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      const waitMs = backOffMs(betweenTries, failures);
      logger.warn(`Waiting for the ${name}`, { error, waitMs });
      await pause(waitMs, undefined, { signal });
    }
  }
};

const withinASecond = (check: Promise<boolean>): Promise<boolean> =>
  withTimeout(
    1_000,
    check.catch(() => false),
    () => false,
  );
