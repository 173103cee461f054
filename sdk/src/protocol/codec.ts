import { RoomwireError } from '../errors.js';
import { decode } from '../messagepack/decode.js';
import { encode } from '../messagepack/encode.js';
import type { ClientFrame } from './clientFrames.js';
import type { ServerFrame } from './frames.js';
import { readFrame } from './readFrame.js';

/** The server's bound on arrays and maps inside one another, the frame's own map included. */
export const maxNesting = 64;

/** With the flag `u` it finds halves of a pair and passes over whole ones. */
const halfPair = /\p{Surrogate}/u;

/**
 * Throws for what can be encoded and yet would have the server refuse the whole frame: the key `__proto__`, half a
 * surrogate pair, more than 64 levels. Looks at what the encoder looks at, and leaves the rest to it.
 */
const assertAcceptable = (value: unknown, depth = 0): void => {
  if (typeof value === 'string') return assertText(value);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  if (value instanceof Date) return;
  if (depth === maxNesting) throw new TypeError(`More than ${maxNesting} levels, the frame's own included`);
  if (Array.isArray(value)) for (const item of value) assertAcceptable(item, depth + 1);
  else for (const [key, item] of Object.entries(value)) assertField(key, item, depth + 1);
};

const assertField = (key: string, value: unknown, depth: number): void => {
  if (value === undefined) return; // Left out by the encoder.
  if (key === '__proto__') throw new TypeError('The key __proto__ is not allowed');
  assertText(key);
  assertAcceptable(value, depth);
};

const assertText = (text: string): void => {
  if (halfPair.test(text)) throw new TypeError('A text holds half a surrogate pair');
};

/** The server ends a connection with 1009 for a frame above this; so such a frame never leaves. */
const maxFrameBytes = 1_048_576;
const maxDataBytes = 921_600;
/** The encoder counts the value inside the innermost array or map as a level too. */
const maxDepth = maxNesting + 1;

/** Throws `invalid_data` for what MessagePack cannot express or the server does not read, `message_too_large` for what no server takes. */
export const encodeFrame = (frame: ClientFrame): Uint8Array<ArrayBuffer> => {
  const topic = 'topic' in frame ? frame.topic : undefined;
  const bytes = encodeChecked(frame, topic);
  if (bytes.length <= maxFrameBytes) return bytes;
  throw new RoomwireError('message_too_large', { code: 42930, topic, maxSizeBytes: maxDataBytes });
};

const encodeChecked = (frame: ClientFrame, topic: string | undefined): Uint8Array<ArrayBuffer> => {
  try {
    assertAcceptable(frame);
    return encode(frame, { maxDepth });
  } catch (cause) {
    throw new RoomwireError('invalid_data', { topic, cause });
  }
};

/** Whether two values that were received are the same. */
export const isSameValue = (one: unknown, other: unknown): boolean => {
  const [left, right] = [encode(one), encode(other)];
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
};

/** Undefined for a frame of a type that the client does not know. Throws `undecodable_frame`, nothing else. */
export const decodeFrame = (frame: Uint8Array | string): ServerFrame | undefined => {
  try {
    if (typeof frame === 'string') throw new TypeError('A text frame');
    return readFrame(decode(frame));
  } catch (cause) {
    throw new RoomwireError('undecodable_frame', { cause });
  }
};
