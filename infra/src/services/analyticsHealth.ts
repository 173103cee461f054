import type { Logger } from '@roomwire/shared/ports/logger';
import type { MetricSink } from '@roomwire/shared/ports/metrics';
import type { Config } from '../config/config.js';
import { openOperations } from '../observability/operations.js';
import type { Adapters } from '../engines/adapters.js';
import type { ClosingStack } from '@roomwire/shared/runtime/closingStack';
import { createHttpFront, type HttpFront } from '../process/httpFront.js';

export interface HealthDeps {
  readonly config: Config;
  readonly logger: Logger;
  readonly adapters: Adapters;
  readonly closing: ClosingStack;
}

/** What writes, as far as its health goes. */
export interface Watched {
  /** Whether what was tried last could be written. */
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

/** There are only two questions, and nobody keeps asking them over one connection that matters. */
const graceMs = 1_000;

/** `/healthz` and `/readyz` on the port of a service, `/metrics` on that of operations. */
export const openHealth = async ({
  config,
  logger,
  adapters,
  closing,
}: HealthDeps): Promise<AnalyticsHealth> => {
  const front = createHttpFront();
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
      front.ready(async () => writers.every(({ isWell }) => isWell) && (await adapters.areReachable()));
      closing.push(async () => front.withdraw());
    },
  };
};

/**
 * The port that nobody has asked for is no reason not to start: on one machine another service has it, and what is to be
 * kept is kept without. One that was asked for is; then it rejects as `listen` does.
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
