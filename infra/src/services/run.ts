import { Activity } from '@roomwire/shared/activity/activity';
import { createChainedEventLog } from '@roomwire/shared/adapters/event-log/chainedEventLog';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { RegisteredReader } from '@roomwire/shared/ports/viewStore';
import { once } from '@roomwire/shared/runtime/service';
import { createClosingStack } from '@roomwire/shared/runtime/closingStack';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { Config } from '../config/config.js';
import { openOperations } from '../observability/operations.js';
import { openTracing } from '../observability/openTracing.js';
import { createAdapters, memoized, type Adapters, type CheckedPort } from '../engines/adapters.js';
import { createHttpFront, type Readiness } from './httpFront.js';
import { givenAuditKeys, loadSecrets } from '../secrets/keptSecrets.js';
import type { ServiceName, StartService, ServiceContext } from './service.js';

export interface Running {
  /** Without a path, e.g. `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** Undefined where no metrics are served. */
  readonly metricsUrl: string | undefined;
  /** Readiness off, intake stopped, drained, closed, in this order. Also ends a start that still waits for an engine. */
  readonly close: () => Promise<void>;
}

export interface RunHooks {
  /** Before anything is opened. */
  readonly before?: (adapters: Adapters) => Promise<void>;
  /** When the projections run, before anything is served. */
  readonly between?: (surroundings: ServiceContext) => Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/** A process loads only the services that it runs. */
const services: { readonly [Name in ServiceName]: () => Promise<StartService> } = {
  'command-api': async () => (await import('./starters.js')).startCommandApi,
  projections: async () => (await import('./starters.js')).startProjections,
  gateway: async () => (await import('./startGateway.js')).startGateway,
  'webhook-consumer': async () => (await import('./starters.js')).startWebhookConsumer,
};

const readerOf = (names: readonly ServiceName[]): RegisteredReader | undefined => {
  const reading = names.filter((name) => name !== 'projections');
  if (reading.length === 0) return undefined;
  return { name: reading.join('+'), isWriter: reading.length < names.length };
};

/** Without the event log or the bus a command API refuses writes and answers reads, which no balancer must keep from it. */
const readinessOf = (names: readonly ServiceName[], unreachable: readonly CheckedPort[]): Readiness => {
  const isApi = names.includes('command-api');
  const isAlone = isApi && names.length === 1;
  const isNeeded = (port: CheckedPort): boolean =>
    port === 'event log' ? !isApi : port !== 'message bus' || !isAlone;
  return { isReady: !unreachable.some(isNeeded), unreachable };
};

/** Requests and sockets under way get this long to end. */
const graceMs = 5_000;

/**
 * Runs services in this process, on the engines of the configuration, behind one HTTP port. `/healthz` answers at once,
 * `/readyz` while all of them serve and the engines answer that they need for it.
 */
export const run = (
  names: readonly ServiceName[],
  config: Config,
  logger: Logger,
  { before = nothing, between = nothing }: RunHooks = {},
): { readonly started: Promise<Running>; readonly close: () => Promise<void> } => {
  // Engines outlast the services that use them, whichever was opened first.
  const engines = createClosingStack();
  const closing = createClosingStack();
  const draining = createClosingStack();
  const aborting = new AbortController();
  const close = once(async () => {
    aborting.abort();
    await closing.closeAll().finally(() => engines.closeAll());
  });

  const start = async (): Promise<Running> => {
    const hindrances: (() => string | undefined)[] = [];
    const front = createHttpFront(systemClock, () =>
      hindrances.map((hindrance) => hindrance()).filter((each) => each !== undefined),
    );
    const reader = readerOf(names);
    const adapters = createAdapters({ config, reader, logger, closing: engines, signal: aborting.signal });
    await before(adapters);
    const baseUrl = await front.listen(config.host, config.port);
    closing.push(() => front.close(graceMs));
    const operations = await openOperations({ config, logger, adapters, services: names });
    // To the end: how a drain goes is seen there.
    closing.push(() => operations.close());
    const tracing = await openTracing(names, config, logger, closing);
    const secrets = async () => loadSecrets(config, async (name) => (await adapters.folder()).file(name));
    const limits = new LimitReports({ clock: systemClock, logger });
    operations.show({ name: 'limits', collect: limits.collect });
    // A process that appends and needs none of the secrets has the audit key alone.
    const log = memoized(async () => {
      const auditKeys = givenAuditKeys(config) ?? (await secrets()).auditKeys;
      return createChainedEventLog(await adapters.log(), auditKeys);
    });
    const activity = memoized(async () => {
      const store = await adapters.activity();
      const counting = new Activity({ store, clock: systemClock, random: systemRandom, logger });
      closing.push(() => counting.close());
      return counting;
    });
    const surroundings: ServiceContext = {
      ...{
        services: names,
        config,
        logger,
        adapters,
        log,
        front,
        hindrances,
        closing,
        draining,
        secrets,
        tracing,
        limits,
        activity,
      },
      backends: {
        ...{ publishing: undefined, history: undefined, liveState: undefined, jobGroups: undefined },
        liveConnections: undefined,
      },
      show: operations.show,
      clock: systemClock,
      random: systemRandom,
    };
    if (names.includes('projections')) await (await services.projections())(surroundings);
    // Requests are answered for as long as the read models follow.
    closing.push(() => front.close(graceMs));
    await between(surroundings);
    for (const name of names) if (name !== 'projections') await (await services[name]())(surroundings);
    front.ready(async () => readinessOf(names, await adapters.unreachable()));
    closing.push(() => draining.closeAll());
    closing.push(async () => front.withdraw());
    logger.info('Ready', { url: baseUrl, services: names });
    return { baseUrl, metricsUrl: operations.metricsUrl, close };
  };

  const started = start().catch(async (error: unknown) => {
    await close().catch(() => undefined);
    throw error;
  });
  return { started, close };
};
