import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { binaryFrame } from '@roomwire/shared/wire/protocol/encodeFrames';
import { serveRelay } from './relayServer.js';

/**
 * The ceiling of one Node process: the frames of a turn of the event loop are put together once, and each
 * subscriber's socket gets them in one write. It checks nothing and knows one topic.
 */
const subscribers = new Set<Socket>();
let frames: Buffer[] = [];

const flush = (): void => {
  const bytes = frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames);
  frames = [];
  for (const socket of subscribers) socket.write(bytes);
};

serveRelay({
  addSubscriber: (_subscriber, socket) => void subscribers.add(socket),
  removeSubscriber: (_subscriber, socket) => void subscribers.delete(socket),
  relay(message) {
    if (frames.length === 0) setImmediate(flush);
    frames.push(binaryFrame(message));
  },
});
