import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { clientFrame } from './clientFrame.js';

/** What a customer's message carries. */
export const dataBytes = 128;

/** The stamp is the first thing in the data, and the data is the last thing in a frame, on its way in and out. */
export const stampFromEnd = dataBytes;

/**
 * The frame that publishes one message: MessagePack, QoS 1 because none is given, no `msgRef`, so no answer. The
 * relays get the same bytes and hand them on as they are; Roomwire's `message` frame has the same length.
 */
export const publishFrame = (topic: string): Buffer =>
  clientFrame(encode({ type: 'publish', topic, data: Buffer.alloc(dataBytes, 0x2e).fill(0, 0, 8) }));

/** A copy that carries the moment at which it was meant to be sent. */
export const stamped = (frame: Buffer, moment: number): Buffer => {
  const copy = Buffer.from(frame);
  copy.writeDoubleLE(moment, copy.length - stampFromEnd);
  return copy;
};
