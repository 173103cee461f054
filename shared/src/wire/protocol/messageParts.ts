import { Buffer } from 'node:buffer';
import { messagePackFields, type FrameFields } from './frameFields.js';

const fieldsOf = (body: Uint8Array): FrameFields =>
  messagePackFields(Buffer.from(body.buffer, body.byteOffset, body.byteLength));

const nil = Uint8Array.of(0xc0);

/** Of a whole `message`, as MessagePack: its data, unchanged. */
export const messageData = (body: Uint8Array): Uint8Array => fieldsOf(body).raw('data') ?? nil;

export interface MessageParts {
  /** The filter that its subscribers see; null for none. */
  readonly filter: string | null;
  /** As MessagePack, unchanged. */
  readonly data: Uint8Array;
}

/** Both are found at once. */
export const messageParts = (body: Uint8Array): MessageParts => {
  const fields = fieldsOf(body);
  const filter = fields.read('filter');
  return { filter: typeof filter === 'string' ? filter : null, data: fields.raw('data') ?? nil };
};
