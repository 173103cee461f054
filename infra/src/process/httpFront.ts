import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpFront {
  readonly server: Server;
  /** Without a path, e.g. `http://127.0.0.1:8080`. */
  listen(host: string, port: number): Promise<string>;
  /** From now on `/readyz` answers 200 and requests reach the service. */
  serve(service: RequestListener): void;
  /** `/readyz` answers 503 again, so that a balancer looks elsewhere. */
  withdraw(): void;
  /** Takes no more connections; those under way get `graceMs` to end. */
  close(graceMs: number): Promise<void>;
}

/** The HTTP server in front of a service, with the answers that tell whether it lives and whether it is ready. */
export const createHttpFront = (): HttpFront => {
  let service: RequestListener | undefined;
  let isReady = false;

  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0];
    const answer = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: text }));
    };
    if (path === '/healthz') answer(200, 'alive');
    else if (path === '/readyz') answer(isReady ? 200 : 503, isReady ? 'ready' : 'not ready');
    else if (service === undefined) answer(503, 'not ready');
    else service(request, response);
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 65_000;

  return {
    server,

    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          const address = server.address() as AddressInfo;
          resolve(`http://${host.includes(':') ? `[${host}]` : host}:${address.port}`);
        });
      }),

    serve(listener) {
      service = listener;
      isReady = true;
    },

    withdraw() {
      isReady = false;
    },

    close: (graceMs) =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
};
