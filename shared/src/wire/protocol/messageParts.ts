import { Buffer } from 'node:buffer';
import { messagePackFields, type FrameFields } from './frameFields.js';

const fieldsOf = (body: Uint8Array): FrameFields =>
  messagePackFields(Buffer.from(body.buffer, body.byteOffset, body.byteLength));

const nil = Uint8Array.of(0xc0);

/** Of a whole `message`, as MessagePack: its data, unchanged. */
export const messageData = (body: Uint8Array): Uint8Array => fieldsOf(body).raw('data') ?? nil;

/** The filter that its subscribers see; null for none. */
export const messageFilter = (body: Uint8Array): string | null => {
  const filter = fieldsOf(body).read('filter');
  return typeof filter === 'string' ? filter : null;
};
