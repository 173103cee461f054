import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '@roomwire/shared/ports/clock';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';

/** What `/readyz` answers. */
export interface Readiness {
  readonly isReady: boolean;
  /** The engines that do not answer, ready or not. */
  readonly unreachable: readonly string[];
}

export interface HttpFront {
  readonly server: Server;
  /** Without a path, e.g. `http://127.0.0.1:8080`. */
  listen(host: string, port: number): Promise<string>;
  /** From now on requests reach the service. */
  serve(service: RequestListener): void;
  /**
   * From now on `/readyz` answers 200 while the check finds the process ready, and 503 where it does not, or rejects. However many ask,
   * it is made once at a time and at most once a second.
   */
  ready(check: () => Promise<Readiness>): void;
  /** `/readyz` answers 503 again, so that a balancer looks elsewhere. */
  withdraw(): void;
  /** Takes no more connections; those under way get `graceMs` to end. */
  close(graceMs: number): Promise<void>;
}

/**
 * The HTTP server in front of a process, with the answers that tell whether it lives and whether it is ready. `hindrances`: why the
 * process cannot do its work, though its engines answer; also while it starts.
 */
export const createHttpFront = (
  clock: Pick<Clock, 'monotonic'>,
  hindrances: () => readonly string[] = () => [],
): HttpFront => {
  let service: RequestListener | undefined;
  let readiness: (() => Promise<Readiness>) | undefined;

  const sockets = new Set<Socket>();
  const server = createServer({ connectionsCheckingInterval: 1_000 }, (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path === '/healthz') answer(response, 200, { status: 'alive' });
    else if (path === '/readyz')
      void (readiness?.() ?? notYet).then((found) => answerReadiness(response, found, hindrances()));
    else if (service === undefined)
      answer(response, readiness === undefined ? 503 : 404, { status: 'no such thing here' });
    else service(request, response);
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 65_000;
  // For connections that never send anything; WebSockets have rules of their own.
  server.timeout = 60_000;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

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
    },

    ready(check) {
      const found = (): Promise<Readiness> => check().catch(() => notYet);
      readiness = keptFor(limitTable.readinessMs.value, found, clock);
    },

    withdraw() {
      readiness = () => notYet;
    },

    close: (graceMs) =>
      new Promise((resolve) => {
        if (!server.listening) return resolve();
        const timer = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
};

/** Each check asks the engines, and strangers may ask for it. One that hangs is not made a second time. */
const keptFor = <T>(
  ms: number,
  check: () => Promise<T>,
  clock: Pick<Clock, 'monotonic'>,
): (() => Promise<T>) => {
  let checked: Promise<T> | undefined;
  let freshUntil = 0;
  return () => {
    if (checked !== undefined && clock.monotonic() < freshUntil) return checked;
    freshUntil = Number.POSITIVE_INFINITY;
    const startedAt = clock.monotonic();
    return (checked = check().finally(() => (freshUntil = startedAt + ms)));
  };
};

const notYet: Promise<Readiness> = Promise.resolve({ isReady: false, unreachable: [] });

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const answerReadiness = (
  response: ServerResponse,
  { isReady, unreachable }: Readiness,
  hindrances: readonly string[],
): void => {
  const isServing = isReady && hindrances.length === 0;
  answer(response, isServing ? 200 : 503, {
    status: isServing ? 'ready' : 'not ready',
    ...(unreachable.length === 0 ? {} : { unreachable }),
    ...(hindrances.length === 0 ? {} : { hindrances }),
  });
};
