import type { WebSocket } from 'ws';
import { serveRelay } from './relayServer.js';

/** What one writes first: every message goes to every subscriber by `ws.send`, as it comes, from one Buffer. */
const subscribers = new Set<WebSocket>();

serveRelay({
  addSubscriber: (subscriber) => void subscribers.add(subscriber),
  removeSubscriber: (subscriber) => void subscribers.delete(subscriber),
  relay(message) {
    for (const subscriber of subscribers) subscriber.send(message, { binary: true });
  },
});
