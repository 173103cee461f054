import { Buffer } from 'node:buffer';
import { Encoder } from '@msgpack/msgpack';
import { maxFrameBytes, maxNesting } from './limits.js';
import { isSoundMessagePack } from './messagePackScan.js';
import type { MessageMeta, ServerFrame } from './serverFrames.js';

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

/** What is in such a frame. */
export const payloadOf = (frame: Buffer): Buffer => {
  const length = frame[1] as number;
  return frame.subarray(length < 126 ? 2 : length === 126 ? 4 : 10);
};

const headerLength = (length: number): 2 | 4 | 10 => {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
};

const encoder = new Encoder({ ignoreUndefined: true });

/** The complete WebSocket frame. */
export const encodeServerFrame = (frame: ServerFrame): Buffer => binaryFrame(encoder.encodeSharedRef(frame));

/** The answer to a heartbeat. */
export const heartbeatFrame: Buffer = binaryFrame(new Uint8Array());

const fieldName = (name: string): Uint8Array => encoder.encode(name);
const emptyMap = 0x80;
/** A `message` has three or four, and two more where it has an id. */
const fieldsWithId = 5;
const mapOf = (fields: number): Uint8Array => Uint8Array.of(emptyMap + fields);
const typeMessage = Buffer.concat([fieldName('type'), encoder.encode('message')]);
const topicField = fieldName('topic');
const dataField = fieldName('data');
const filterField = fieldName('filter');
const msgIdField = fieldName('msgId');
const metaField = fieldName('meta');
const deliveryField = fieldName('delivery');
const isReplay = Buffer.concat([fieldName('isReplay'), encoder.encode(true)]);
const requiresAck = Buffer.concat([fieldName('requiresAck'), encoder.encode(true)]);

/**
 * The beginning of every `message` to a topic that has no filter: all of it but the data. Of memory of its own, because it is
 * kept: a slice would keep the whole block alive that it is cut from, and what else is cut from that is gone in a moment.
 */
export const messageHead = (topic: string): Buffer => {
  const head = Buffer.concat([mapOf(3), typeMessage, topicField, encoder.encode(topic), dataField]);
  const own = Buffer.allocUnsafeSlow(head.length);
  own.set(head);
  return own;
};

/** A whole `message`, as MessagePack, with the data unchanged. It has an id only where messages are recorded. */
export const messageBody = (head: Buffer, data: Uint8Array, filter?: string, msgId?: string): Buffer => {
  if (filter === undefined && msgId === undefined) return Buffer.concat([head, data]);
  const fields: Uint8Array[] = [head, data];
  if (msgId !== undefined) fields.push(msgIdField, encoder.encode(msgId), requiresAck);
  if (filter !== undefined) fields.push(filterField, encoder.encode(filter));
  const body = Buffer.concat(fields);
  body[0] = 0x80 + 3 + (msgId === undefined ? 0 : 2) + (filter === undefined ? 0 : 1);
  return body;
};

/** The same `message`, as one that is replayed to a worker group. */
export const replayedBody = (body: Uint8Array): Buffer => withField(body, isReplay);

/** The same `message`, with who published it and when. */
export const bodyWithMeta = (body: Uint8Array, meta: MessageMeta): Buffer =>
  withField(body, metaField, encoder.encodeSharedRef(meta));

/** A `message` that is a job: it has its id, and from the second hand-out on their number. */
export const jobBody = (body: Uint8Array, msgId: string, delivery: number): Uint8Array => {
  const isNamed = (body[0] as number) - emptyMap >= fieldsWithId;
  const isRepeated = delivery > 1;
  if (isNamed && !isRepeated) return body;
  const parts: Uint8Array[] = [body];
  if (!isNamed) parts.push(msgIdField, encoder.encode(msgId), requiresAck);
  if (isRepeated) parts.push(deliveryField, encoder.encode(delivery));
  const extended = Buffer.concat(parts);
  extended[0] = (body[0] as number) + (isNamed ? 0 : 2) + (isRepeated ? 1 : 0);
  return extended;
};

const withField = (body: Uint8Array, ...field: readonly Uint8Array[]): Buffer => {
  const extended = Buffer.concat([body, ...field]);
  extended[0] = (body[0] as number) + 1;
  return extended;
};

/** It counts what is in the innermost array as a level too; the scan behind it has the last word. */
const hydrationEncoder = new Encoder({ maxDepth: maxNesting + 1 });

/**
 * A whole `hydration`, as MessagePack; undefined where it is larger, or nested deeper, than a frame may be, or holds what
 * decoders throw on: an endpoint must not be able to do that to a client.
 */
export const hydrationBody = (topicName: string, data: unknown): Uint8Array | undefined => {
  try {
    const body = hydrationEncoder.encode({ type: 'hydration', topic: topicName, data });
    return body.length <= maxFrameBytes && isSoundMessagePack(body) ? body : undefined;
  } catch {
    return undefined; // Nested too deeply.
  }
};
