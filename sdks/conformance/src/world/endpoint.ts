import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook endpoint that answers everything alike. */
export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

export const startEndpoint = async (answer: unknown): Promise<Endpoint> => {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
