import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

export interface Relay {
  /** Also given the raw socket, for those who write to it themselves. */
  addSubscriber(subscriber: WebSocket, socket: Socket): void;
  removeSubscriber(subscriber: WebSocket, socket: Socket): void;
  /** A message of a publisher, for every subscriber. */
  relay(message: Buffer): void;
}

/** What the relays have in common: one topic; `/subscribe` to listen, `/publish` to send. */
export const serveRelay = (relay: Relay): void => {
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (client: WebSocket, request: IncomingMessage) => {
    client.on('error', () => client.terminate());
    if (request.url === '/publish') {
      client.on('message', (message: Buffer) => relay.relay(message));
    } else {
      relay.addSubscriber(client, request.socket);
      client.on('close', () => relay.removeSubscriber(client, request.socket));
    }
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`Ready on port ${(server.address() as AddressInfo).port}\n`);
  });
};
