import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Exposition } from './exposition.js';

export interface OpsServer {
  /** Of `/metrics`, e.g. `http://127.0.0.1:9090/metrics`. */
  readonly url: string;
  /** Takes no more scrapes; one that is being answered may end, within a second. */
  readonly close: () => Promise<void>;
}

const path = '/metrics';
const graceMs = 1_000;

/**
 * Serves the metrics on a port of their own, which need not be open to anybody but who collects them. They are loaded
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
