import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  gatherJournal,
  openJournalFollowers,
  openWriters,
  type AnalyticsSettings,
} from '@roomwire/analytics/analytics';
import { defaultLimits, type CollectorLimits } from '@roomwire/analytics/collect/collector';
import { followKafka } from '@roomwire/analytics/collect/followKafka';
import { makeReport, type Report, type ReportRequest } from '@roomwire/analytics/report/report';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { openFactJournalReader } from '@roomwire/shared/adapters/fact-journal/factJournal';
import type { Logger } from '@roomwire/shared/ports/logger';
import { createClosingStack, type ClosingStack } from '@roomwire/shared/runtime/closingStack';
import { once } from '@roomwire/shared/runtime/service';
import { sleep } from '@roomwire/shared/runtime/waiting';
import type { MetricSink } from '@roomwire/shared/ports/metrics';
import { ConfigError, type Config } from '../config/config.js';
import { createAdapters, type Adapters } from '../engines/adapters.js';
import { variablesFor } from '../engines/engines.js';
import { openOperations } from '../observability/operations.js';
import { createHttpFront, type HttpFront } from './httpFront.js';

export interface AnalyticsRunning {
  /** Where `/healthz` and `/readyz` are; undefined where they are not served. */
  readonly baseUrl: string | undefined;
}

export interface AnalyticsOptions {
  readonly limits?: Partial<CollectorLimits>;
  /** Called when it cannot go on. */
  readonly failed: (reason: string) => void;
}

const betweenLooksMs = 1_000;

const settingsOf = ({ analyticsDir, analyticsDays, analyticsPayloads }: Config): AnalyticsSettings => ({
  ...{ folder: analyticsDir, days: analyticsDays, payloads: analyticsPayloads },
});

const journalPath = ({ dataDir }: Config): string => join(dataDir, 'analytics.lmdb');

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
  const settings = settingsOf(config);
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
    const writers = await openWriters({ settings, limits, logger, closing });
    for (const writer of writers) {
      const following = await followKafka({ follow, ...writer, logger, failed });
      closing.push(() => following.close());
    }
    health.watch(writers.map(({ writer }) => writer));
    return { baseUrl: health.baseUrl };
  };

  const onJournal = async (): Promise<AnalyticsRunning> => {
    const path = journalPath(config);
    const journal = openFactJournalReader(path);
    if (journal === undefined)
      throw new ConfigError([
        `there is no ${path}: start Roomwire with ROOMWIRE_ANALYTICS=true, or set ${variablesFor('bus')}`,
      ]);
    const followers = await openJournalFollowers(journal, { settings, limits, logger, closing });
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

/**
 * Answers from the files; where a service on files keeps a journal, what is new in it is brought into them first. Rejects with
 * `ConfigError` where there is neither.
 */
export const reportOf = async (config: Config, logger: Logger, request: ReportRequest): Promise<Report> => {
  const { analyticsDir, engines } = config;
  const journal = engines.bus.onFiles ? openFactJournalReader(journalPath(config)) : undefined;
  if (journal) await gatherJournal(journal, { settings: settingsOf(config), logger });
  if (!existsSync(analyticsDir))
    throw new ConfigError([
      engines.bus.onFiles
        ? `nothing is kept yet in ${analyticsDir}: start Roomwire with ROOMWIRE_ANALYTICS=true`
        : `nothing is kept yet in ${analyticsDir}: run \`roomwire analytics run\``,
    ]);
  return makeReport(analyticsDir, request);
};

export interface HealthDeps {
  readonly config: Config;
  readonly logger: Logger;
  readonly adapters: Adapters;
  readonly closing: ClosingStack;
}

/** What writes, as far as its health goes. */
export interface Watched {
  /** Whether the last write succeeded. */
  readonly isWell: boolean;
  show(sink: MetricSink): void;
}

export interface AnalyticsHealth {
  /** Without a path; undefined where the port was not free. */
  readonly baseUrl: string | undefined;
  /** Undefined where no metrics are served. */
  readonly metricsUrl: string | undefined;
  /** From now on it is ready while the bus is within reach and all of them can write. */
  watch(writers: readonly Watched[]): void;
}

/** Only probes connect here, and their requests are short. */
const graceMs = 1_000;

/** `/healthz` and `/readyz` on the port of a service, `/metrics` on that of operations. */
export const openHealth = async ({
  config,
  logger,
  adapters,
  closing,
}: HealthDeps): Promise<AnalyticsHealth> => {
  const front = createHttpFront(systemClock);
  closing.push(() => front.close(graceMs));
  const baseUrl = await listen(front, config, logger);
  const operations = await openOperations({ config, logger, adapters, services: ['analytics'] });
  closing.push(() => operations.close());
  return {
    baseUrl,
    metricsUrl: operations.metricsUrl,
    watch: (writers) => {
      operations.show({
        name: 'analytics',
        collect: (sink) => writers.forEach((writer) => writer.show(sink)),
      });
      front.ready(async () => {
        const unreachable = await adapters.unreachable();
        const isReady = unreachable.length === 0 && writers.every(({ isWell }) => isWell);
        return { isReady, unreachable };
      });
      closing.push(async () => front.withdraw());
    },
  };
};

/**
 * A default port that is in use does not prevent the start: on one machine another service has it, and what is to be
 * kept is kept without. For a configured port this rejects as `listen` does.
 */
const listen = async (front: HttpFront, config: Config, logger: Logger): Promise<string | undefined> => {
  const { host, port, isPortGiven } = config;
  try {
    return await front.listen(host, port);
  } catch (error) {
    if (isPortGiven || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    logger.warn('No health: the port is in use; set ROOMWIRE_PORT to another one', { host, port });
    return undefined;
  }
};
