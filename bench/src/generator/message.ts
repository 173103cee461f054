import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { clientFrame } from './clientFrame.js';

/** What a customer's message carries. */
export const dataBytes = 128;

const data = Buffer.alloc(dataBytes, 0x2e).fill(0, 0, 8);

/** The stamp is the first thing in the data, and the data is the last thing in a frame, on its way in and out. */
export const stampFromEnd = dataBytes;

/**
 * The frame that publishes one message: MessagePack, QoS 1 because none is given, no `msgRef`, so no answer. The
 * relays get the same bytes and hand them on as they are; Roomwire's `message` frame has the same length.
 */
export const publishFrame = (topic: string, filter?: string): Buffer =>
  clientFrame(encode({ type: 'publish', topic, ...(filter !== undefined && { filters: [filter] }), data }));

/** One that asks for an answer; all of them for the same, so that answers can be told by their length alone. */
export const acknowledgedFrame = (topic: string): Buffer =>
  clientFrame(encode({ type: 'publish', topic, msgRef: '1', data }));

/** A copy that carries the moment at which it was meant to be sent. */
export const stamped = (frame: Buffer, moment: number): Buffer => {
  const copy = Buffer.from(frame);
  copy.writeDoubleLE(moment, copy.length - stampFromEnd);
  return copy;
};

/** One frame after the other, each with its stamp. */
export const stampedSequence = (frame: Buffer, stamps: readonly number[]): Buffer => {
  const { length } = frame;
  const sequence = Buffer.allocUnsafeSlow(length * stamps.length);
  for (const [index, stamp] of stamps.entries()) {
    frame.copy(sequence, index * length);
    sequence.writeDoubleLE(stamp, (index + 1) * length - stampFromEnd);
  }
  return sequence;
};
