import { decode, encode } from '@msgpack/msgpack';
import { RoomwireError } from '../errors.js';
import type { ClientFrame, ServerFrame } from './frames.js';
import { readFrame } from './readFrame.js';
import { assertReadable, maxNesting } from './readable.js';

/** The server ends a connection with 1009 for a frame above this; so such a frame never leaves. */
const maxFrameBytes = 1_048_576;
const maxDataBytes = 921_600;
/** The encoder counts the value inside the innermost array or map as a level too. */
const maxDepth = maxNesting + 1;

/** Throws `invalid_data` for what MessagePack cannot express or the server does not read, `message_too_large` for what no server takes. */
export const encodeFrame = (frame: ClientFrame): Uint8Array<ArrayBuffer> => {
  const topic = 'topic' in frame ? frame.topic : undefined;
  const bytes = encodeOrRefuse(frame, topic);
  if (bytes.length <= maxFrameBytes) return bytes;
  throw new RoomwireError('message_too_large', { code: 42930, topic, maxSizeBytes: maxDataBytes });
};

const encodeOrRefuse = (frame: ClientFrame, topic: string | undefined): Uint8Array<ArrayBuffer> => {
  try {
    assertReadable(frame);
    return encode(frame, { ignoreUndefined: true, maxDepth });
  } catch (cause) {
    throw new RoomwireError('invalid_data', { topic, cause });
  }
};

/** Undefined for a frame of a type that the client does not know. Throws `undecodable_frame`, nothing else. */
export const decodeFrame = (frame: Uint8Array | string): ServerFrame | undefined => {
  try {
    if (typeof frame === 'string') throw new TypeError('A text frame; the server sends binary frames only');
    // Each entry takes a byte at least, so a larger length is a lie that the decoder must not reserve memory for.
    const most = frame.length;
    return readFrame(decode(frame, { maxArrayLength: most, maxMapLength: most }));
  } catch (cause) {
    throw new RoomwireError('undecodable_frame', { cause });
  }
};
