import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MetricOrigin } from '@roomwire/shared/wire/metrics/metricTable';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Config } from '../config/config.js';
import type { Adapters } from '../engines/adapters.js';
import { version } from '../version.js';
import type { Exposition } from './exposition.js';
import { MetricGatherer, type MetricSource } from './gatherMetrics.js';

/** What operators can see of the process. */
export interface Operations {
  /** Undefined where it is off, or its port was not free. */
  readonly metricsUrl: string | undefined;
  readonly show: (source: MetricSource) => void;
  readonly close: () => Promise<void>;
}

export interface OperationsDeps {
  readonly config: Config;
  readonly logger: Logger;
  readonly adapters: Adapters;
  /** What runs in this process. */
  readonly services: readonly MetricOrigin[];
}

/** Prometheus gives up a scrape after ten seconds by default. */
const sourceMs = 3_000;

const off: Operations = { metricsUrl: undefined, show: () => undefined, close: async () => undefined };

/**
 * Opens the operations port. A default port that is in use does not prevent the start: several services on one machine,
 * or a Prometheus beside them, would be in each other's way. For a configured port this rejects as `listen` does.
 */
export const openOperations = async (deps: OperationsDeps): Promise<Operations> => {
  const { config, logger, adapters, services } = deps;
  if (config.opsPort === 0) return off;
  const gatherer = new MetricGatherer({ logger, withinMs: sourceMs });
  const load = async (): Promise<Exposition> => {
    const { createExposition } = await import('./exposition.js');
    return createExposition(gatherer, [...services, 'process']);
  };
  try {
    const server = await openOpsServer(config.opsHost, config.opsPort, load, logger);
    gatherer.add(processSource(adapters));
    gatherer.add(busLag(adapters));
    logger.info('Metrics are served', { url: server.url });
    return { metricsUrl: server.url, show: (source) => gatherer.add(source), close: server.close };
  } catch (error) {
    if (config.isOpsPortGiven || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const { opsHost: host, opsPort: port } = config;
    logger.warn('No metrics: the port is in use; set ROOMWIRE_OPS_PORT to another one', { host, port });
    return off;
  }
};

const processSource = ({ openedBus }: Adapters): MetricSource => ({
  name: 'process',
  collect: (sink) => {
    sink.value('roomwire_build_info', 1, { version });
    const bus = openedBus();
    if (bus === undefined) return;
    sink.value('roomwire_bus_reachable', bus.reachable ? 1 : 0);
    for (const [topic, { records, bytes }] of Object.entries(bus.statistics)) {
      sink.value('roomwire_bus_records_read_total', records, { topic });
      sink.value('roomwire_bus_read_bytes_total', bytes, { topic });
    }
  },
});

const busLag = ({ openedBus }: Adapters): MetricSource => ({
  name: 'message-bus',
  collect: async (sink) => {
    const lags = await openedBus()?.lag();
    for (const [topic, records] of lags ?? []) sink.value('roomwire_bus_lag_records', records, { topic });
  },
});

export interface OpsServer {
  /** Of `/metrics`, e.g. `http://127.0.0.1:9090/metrics`. */
  readonly url: string;
  /** Takes no more scrapes; one that is being answered may end, within a second. */
  readonly close: () => Promise<void>;
}

const path = '/metrics';
const graceMs = 1_000;

/**
 * Serves the metrics on a port of their own, which only the collector needs to reach. They are loaded
 * only when there is such a port.
 */
export const openOpsServer = async (
  host: string,
  port: number,
  load: () => Promise<Exposition>,
  logger: Logger,
): Promise<OpsServer> => {
  const scrape = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { contentType, text: show } = await exposed;
      const text = await show();
      if (isClosing) response.setHeader('connection', 'close');
      response.writeHead(200, { 'content-type': contentType });
      response.end(request.method === 'HEAD' ? undefined : text);
    } catch (error) {
      logger.error('Metrics could not be shown', { error });
      refuse(response, 500, 'The metrics could not be shown; the log says why');
    }
  };
  const server = createServer({ connectionsCheckingInterval: 1_000 }, (request, response) => {
    if (request.url?.split('?', 1)[0] !== path) refuse(response, 404, `There is only ${path} here`);
    else if (request.method === 'GET' || request.method === 'HEAD') void scrape(request, response);
    else refuse(response.setHeader('allow', 'GET, HEAD'), 405, 'Metrics are read');
  });
  let exposed: Promise<Exposition>;
  let isClosing = false;
  server.headersTimeout = 5_000;
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      exposed = load();
      exposed.then(() => resolve(), reject);
    });
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}${path}`,
    close: () =>
      new Promise((resolve) => {
        isClosing = true;
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
};

const refuse = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
};
