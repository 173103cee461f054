import { Buffer } from 'node:buffer';

/** As a server sends it: without a mask. */
export const serverFrame = (payload: Buffer, opcode: number): Buffer => {
  const short = payload.length < 65_536;
  const header = Buffer.alloc(payload.length < 126 ? 2 : short ? 4 : 10);
  header[0] = 0x80 | opcode;
  header[1] = payload.length < 126 ? payload.length : short ? 126 : 127;
  if (header.length === 4) header.writeUInt16BE(payload.length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([header, payload]);
};
