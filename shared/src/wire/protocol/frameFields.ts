import type { Buffer } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { isSoundJson } from './jsonScan.js';
import { maxFrameFields } from './limits.js';
import { isSoundMessagePack, scanFields, type FieldSpan } from './messagePackScan.js';

/** The fields of a frame, whichever way it was written. */
export interface FrameFields {
  /** Otherwise the fields are those that are legible, for an error about the frame and nothing else. */
  readonly isSound: boolean;
  /** A field's value; undefined when it is missing, or null. */
  read(name: string): unknown;
  /** A field's value as MessagePack; undefined when it is missing, or nothing that MessagePack can carry. */
  raw(name: string): Uint8Array | undefined;
}

export const messagePackFields = (bytes: Buffer): FrameFields => {
  const { isSound, spans } = scanFields(bytes);
  const raw = (name: string): Buffer | undefined => {
    const span = lastOf(spans, name);
    return span && bytes.subarray(span.start, span.end);
  };
  return {
    isSound,
    raw,
    read: (name) => {
      const value = raw(name);
      return value && (shortString(value) ?? decode(value) ?? undefined);
    },
  };
};

/** Of a field that was sent twice the last one counts, as in JSON. */
const lastOf = (spans: readonly FieldSpan[], name: string): FieldSpan | undefined => {
  let found: FieldSpan | undefined;
  for (const span of spans) if (span.name === name) found = span;
  return found;
};

/** Nearly every field that is read is a short string; this spares the decoder. */
const shortString = (value: Buffer): string | undefined => {
  const head = value[0] as number;
  if (head >= 0xa0 && head < 0xc0) return value.toString('utf8', 1);
  return head === 0xd9 ? value.toString('utf8', 2) : undefined;
};

/** Undefined for what is no JSON object within the limits that MessagePack frames have. */
export const jsonFields = (bytes: Buffer): FrameFields | undefined => {
  const object = isSoundJson(bytes) ? parsedObject(bytes) : undefined;
  if (object === undefined || Object.hasOwn(object, '__proto__')) return undefined;
  const read = (name: string): unknown =>
    Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
  const raw = (name: string) => (Object.hasOwn(object, name) ? encoded(object[name]) : undefined);
  return { isSound: Object.keys(object).length <= maxFrameFields, read, raw };
};

const parsedObject = (bytes: Buffer): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // Not JSON.
  }
};

/** The scan after the encoding finds `__proto__`, which `JSON.parse` makes an ordinary key. */
const encoded = (value: unknown): Uint8Array | undefined => {
  const bytes = encode(value);
  return isSoundMessagePack(bytes, 1) ? bytes : undefined;
};
