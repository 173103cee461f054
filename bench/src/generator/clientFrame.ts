import { Buffer } from 'node:buffer';

const final = 0x80;
export const textOpcode = 1;
const binaryOpcode = 2;
const masked = 0x80;
const maskBytes = 4;

/**
 * A complete frame from a client. The mask is four zeros: valid, the same work for the server, and the payload in it
 * can be changed in place.
 */
export const clientFrame = (payload: Uint8Array, opcode = binaryOpcode): Buffer => {
  const { length } = payload;
  const header = Buffer.alloc((length < 126 ? 2 : length < 65_536 ? 4 : 10) + maskBytes);
  header[0] = final | opcode;
  if (length < 126) {
    header[1] = masked | length;
  } else if (length < 65_536) {
    header[1] = masked | 126;
    header.writeUInt16BE(length, 2);
  } else {
    header[1] = masked | 127;
    header.writeUInt32BE(Math.floor(length / 2 ** 32), 2);
    header.writeUInt32BE(length % 2 ** 32, 6);
  }
  return Buffer.concat([header, payload]);
};
