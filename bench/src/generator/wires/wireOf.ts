import { FrameReader, openConnection } from '../connection.js';
import { publishFrame, stamped } from '../frames.js';
import { binaryLayout, type Wire } from './wire.js';
import type { Login } from '../jobs.js';
import { centrifugoWire } from './centrifugoWire.js';
import { natsWire } from './natsWire.js';
import { roomwireWire } from './roomwireWire.js';
import { socketIoWire } from './socketIoWire.js';

const silence = new FrameReader((frame) => {
  throw new Error(`Not expected before the load: ${JSON.stringify(frame)}`);
});

/** The relays know no frames, and take the topic from the path. */
const relayWire: Wire = {
  layout: binaryLayout,
  subscriber: ({ port, topic }) => openConnection(port, `/subscribe/${topic}`, silence),
  publisher: (port) => openConnection(port, '/publish', silence),
  publishFrame,
  stamped,
};

export const wireOf = (login: Login): Wire => {
  switch (login.protocol) {
    case 'roomwire':
      return roomwireWire(login);
    case 'relay':
      return relayWire;
    case 'socketIo':
      return socketIoWire;
    case 'nats':
      return natsWire;
    case 'centrifugo':
      return centrifugoWire(login.secret);
  }
};
