import { Buffer } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { clientFrame } from './frames.js';

const key = Buffer.from(encode('msgId'));
const shortText = 0xa0;
const text = 0xd9;

/** By the length of the id: a frame whose last bytes the id replaces. */
const emptyAcks = new Map<number, Buffer>();

const emptyAck = (idLength: number): Buffer => {
  const known = emptyAcks.get(idLength);
  if (known !== undefined) return known;
  const made = clientFrame(encode({ type: 'ack', msgId: '.'.repeat(idLength) }));
  emptyAcks.set(idLength, made);
  return made;
};

/** The frame that acknowledges a message, by the id that it says near its end. */
export const acknowledgementOf = (payload: Uint8Array): Buffer => {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const found = bytes.lastIndexOf(key);
  if (found < 0)
    throw new Error(`Not a message that is to be acknowledged: ${JSON.stringify(decode(payload))}`);
  const at = found + key.length;
  const isShort = bytes[at] !== text;
  const length = isShort ? (bytes[at] ?? 0) - shortText : (bytes[at + 1] ?? 0);
  const begin = at + (isShort ? 1 : 2);
  const ack = Buffer.from(emptyAck(length));
  ack.set(bytes.subarray(begin, begin + length), ack.length - length);
  return ack;
};
