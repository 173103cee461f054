import { join } from 'node:path';
import { openFactJournalReader } from '@roomwire/shared/adapters/fact-journal/factJournalReader';
import type { Logger } from '@roomwire/shared/ports/logger';
import { once } from '@roomwire/shared/runtime/service';
import { ConfigError, type Config } from '../config/config.js';
import { createAdapters } from '../engines/adapters.js';
import { createClosingStack, type ClosingStack } from '../process/closingStack.js';
import { analyticsStreams } from './analyticsStreams.js';
import { openHealth } from './analyticsHealth.js';
import { defaultLimits, type Collector, type CollectorLimits, type FactSource } from './collect/collector.js';
import { followJournal } from './collect/followJournal.js';
import { followKafka } from './collect/followKafka.js';
import { StreamWriter } from './collect/streamWriter.js';
import type { FactStream } from './facts/factStream.js';
import { openDuckDb } from './store/duckDb.js';
import type { FactFolder } from './store/factFolder.js';
import { sleep } from '@roomwire/shared/runtime/waiting';

export interface AnalyticsRunning {
  /** Where `/healthz` and `/readyz` are; undefined where nobody is told. */
  readonly baseUrl: string | undefined;
}

export interface AnalyticsOptions {
  readonly limits?: Partial<CollectorLimits>;
  /** Called when it cannot go on. */
  readonly failed: (reason: string) => void;
}

const dayMs = 86_400_000;
const betweenLooksMs = 1_000;
/** Of DuckDB, for each stream. */
const writerMemoryMb = 256;

interface OpenWriter {
  readonly stream: FactStream;
  readonly folder: FactFolder;
  readonly writer: StreamWriter;
  readonly collect: (source: FactSource) => Collector;
}

/** What writes the files of each stream. */
const openWriters = async (
  config: Config,
  logger: Logger,
  limits: CollectorLimits,
  closing: ClosingStack,
): Promise<readonly OpenWriter[]> => {
  const { analyticsDir, analyticsDays, analyticsPayloads } = config;
  const streams = analyticsStreams(analyticsDir, analyticsPayloads);
  const writers: OpenWriter[] = [];
  for (const { stream, folder } of streams) {
    const duckDb = await openDuckDb({ memoryMb: writerMemoryMb, spillFolder: join(analyticsDir, '.spill') });
    closing.push(async () => duckDb.close());
    const keptMs = analyticsDays === 0 ? undefined : analyticsDays * dayMs;
    const writer = new StreamWriter({ stream, folder, duckDb, limits, keptMs, now: Date.now, logger });
    await writer.open();
    writers.push({ stream, folder, writer, collect: writer.collect.bind(writer) });
  }
  return writers;
};

/** The journal of a service on files, and what follows it; rejects with `ConfigError` where there is none. */
const openJournalFollowers = async (
  config: Config,
  logger: Logger,
  limits: CollectorLimits,
  closing: ClosingStack,
) => {
  const path = join(config.dataDir, 'analytics.lmdb');
  const journal = openFactJournalReader(path);
  if (journal === undefined)
    throw new ConfigError([
      `there is no ${path}: start Roomwire with ROOMWIRE_ANALYTICS=true, or set ROOMWIRE_KAFKA_BROKERS`,
    ]);
  closing.push(() => journal.close());
  const followers = [];
  for (const writer of await openWriters(config, logger, limits, closing)) {
    const follower = followJournal({ journal, ...writer });
    closing.push(() => follower.close());
    followers.push(follower);
  }
  return followers;
};

/** Brings what a service on files has put down since the last time into the files of the analytics, once. */
export const gatherJournal = async (config: Config, logger: Logger): Promise<void> => {
  const closing = createClosingStack();
  try {
    for (const follower of await openJournalFollowers(config, logger, defaultLimits, closing)) {
      await follower.gather();
      await follower.flush();
    }
  } finally {
    await closing.closeAll();
  }
};

/**
 * Follows the streams and writes their facts, until it is closed. On Kafka it answers for itself on the ports of a service; on
 * files, those are of the service that it runs beside.
 */
export const startAnalytics = (
  config: Config,
  logger: Logger,
  { limits: given, failed }: AnalyticsOptions,
): { readonly started: Promise<AnalyticsRunning>; readonly close: () => Promise<void> } => {
  const limits = { ...defaultLimits, ...given };
  const closing = createClosingStack();
  const aborting = new AbortController();
  const close = once(async () => {
    aborting.abort();
    await closing.closeAll();
  });

  const onKafka = async (): Promise<AnalyticsRunning> => {
    const adapters = createAdapters({ config, logger, closing, signal: aborting.signal });
    const health = await openHealth({ config, logger, adapters, closing });
    const follow = await adapters.groupFollowing();
    if (follow === undefined)
      throw new ConfigError([`the analytics cannot follow a bus on ${config.engines.bus.name}`]);
    const writers = await openWriters(config, logger, limits, closing);
    for (const writer of writers) {
      const following = await followKafka({ follow, ...writer, logger, failed });
      closing.push(() => following.close());
    }
    health.watch(writers.map(({ writer }) => writer));
    return { baseUrl: health.baseUrl };
  };

  const onJournal = async (): Promise<AnalyticsRunning> => {
    const followers = await openJournalFollowers(config, logger, limits, closing);
    const follow = async (): Promise<void> => {
      while (!aborting.signal.aborted) {
        for (const follower of followers) await follower.gather();
        await sleep(betweenLooksMs, aborting.signal);
      }
    };
    follow().catch((error: unknown) => failed(String(error)));
    return { baseUrl: undefined };
  };

  const started = (config.engines.bus.onFiles ? onJournal() : onKafka()).catch(async (error: unknown) => {
    await close().catch(() => undefined);
    throw error;
  });
  return { started, close };
};
