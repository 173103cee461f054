import { Buffer } from 'node:buffer';

const finalBinary = 0x82;

/** A complete WebSocket frame: final, binary, not masked. Written to any number of sockets as it is. */
export const binaryFrame = (payload: Uint8Array): Buffer => {
  const header = headerLength(payload.length);
  const frame = Buffer.allocUnsafe(header + payload.length);
  frame[0] = finalBinary;
  if (header === 2) {
    frame[1] = payload.length;
  } else if (header === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(payload.length, 2);
  } else {
    frame[1] = 127;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(payload.length, 6);
  }
  frame.set(payload, header);
  return frame;
};

const headerLength = (length: number): 2 | 4 | 10 => {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
};
