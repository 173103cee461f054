import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import { serveRelay } from './relayServer.js';

/** A bare server as one writes it first: what is POSTed goes to every subscriber by `ws.send`, a message or a list of them. */
const subscribers = new Set<WebSocket>();

const publish = (message: unknown): void => {
  const frame = JSON.stringify(message);
  for (const subscriber of subscribers) subscriber.send(frame, { binary: true });
};

const answer = (request: IncomingMessage, response: ServerResponse): void => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  request.on('end', () => {
    const sent = JSON.parse(text) as { readonly messages?: readonly unknown[] };
    for (const message of sent.messages ?? [sent]) publish(message);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
  });
};

serveRelay(
  {
    addSubscriber: (subscriber) => void subscribers.add(subscriber),
    removeSubscriber: (subscriber) => void subscribers.delete(subscriber),
  },
  createServer(answer),
);
