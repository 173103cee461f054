import { openConnection } from '../connection.js';
import { FrameReader } from '../frameReader.js';
import { publishFrame, stamped } from '../message.js';
import { binaryLayout } from './binaryLayout.js';
import type { Wire } from './wire.js';

const silence = new FrameReader((frame) => {
  throw new Error(`Not expected before the load: ${JSON.stringify(frame)}`);
});

/** The relays know no frames, and take the topic from the path. */
export const relayWire: Wire = {
  layout: binaryLayout,
  subscriber: ({ port, topic }) => openConnection(port, `/subscribe/${topic}`, silence),
  publisher: (port) => openConnection(port, '/publish', silence),
  publishFrame,
  stamped,
};
