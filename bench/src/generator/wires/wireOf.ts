import type { Login } from '../jobs.js';
import { natsWire } from './natsWire.js';
import { relayWire } from './relayWire.js';
import { roomwireWire } from './roomwireWire.js';
import { socketIoWire } from './socketIoWire.js';
import type { Wire } from './wire.js';

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
  }
};
