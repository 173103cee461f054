import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

export interface Relay {
  /** Also given the raw socket, for those who write to it themselves. */
  addSubscriber(subscriber: WebSocket, socket: Socket, path: string): void;
  removeSubscriber(subscriber: WebSocket, socket: Socket, path: string): void;
  /** A message of a publisher, for every subscriber; absent where subscribers are the ones who publish. */
  relay?(message: Buffer): void;
}

/** What the relays have in common: `/subscribe` and a path to listen, `/publish` to send. The server may answer requests besides. */
export const serveRelay = (relay: Relay, server: Server = createServer()): void => {
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (client: WebSocket, request: IncomingMessage) => {
    client.on('error', () => client.terminate());
    if (request.url === '/publish') {
      client.on('message', (message: Buffer) => relay.relay?.(message));
    } else {
      const { socket, url = '' } = request;
      relay.addSubscriber(client, socket, url);
      client.on('close', () => relay.removeSubscriber(client, socket, url));
    }
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`Ready on port ${(server.address() as AddressInfo).port}\n`);
  });
};
