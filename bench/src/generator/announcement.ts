import type { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { clientFrame } from './clientFrame.js';
import type { Login } from './jobs.js';
import { eventFrame } from './wires/socketIoWire.js';

/** What a client says to be present in a room, which takes it out of the one where it was. */
export const announcement = ({ protocol }: Login, roomId: string, state: string): Buffer =>
  protocol === 'roomwire'
    ? clientFrame(encode({ type: 'presence', roomId, data: { state } }))
    : eventFrame('42', 'presence', roomId, state);
