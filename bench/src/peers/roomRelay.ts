import type { WebSocket } from 'ws';
import { serveRelay } from './relayServer.js';

/** Rooms of a bare server: every message goes to the others of its room by `ws.send`, as it comes. */
const rooms = new Map<string, Set<WebSocket>>();

serveRelay({
  addSubscriber(subscriber, _socket, path) {
    const members = rooms.get(path) ?? new Set();
    rooms.set(path, members.add(subscriber));
    subscriber.on('message', (message: Buffer) => {
      for (const member of members) if (member !== subscriber) member.send(message, { binary: true });
    });
  },
  removeSubscriber(subscriber, _socket, path) {
    const members = rooms.get(path);
    members?.delete(subscriber);
    if (members?.size === 0) rooms.delete(path);
  },
});
