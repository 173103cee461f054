import type { Buffer } from 'node:buffer';
import { decode, Encoder } from '@msgpack/msgpack';
import { isSoundJson } from './jsonScan.js';
import { maxFrameFields } from './limits.js';
import { isSoundMessagePack, scanFields, shapeAt, type FieldSpan } from './messagePackScan.js';

/** The fields of a frame, in either encoding. */
export interface FrameFields {
  /** Otherwise the fields are those that could be read, for an error about the frame and nothing else. */
  readonly isSound: boolean;
  /** Whether a field is this ASCII text, without decoding it. */
  isText(name: string, text: string): boolean;
  /** A field's value; undefined when it is missing, or null. */
  read(name: string): unknown;
  /** A field's value as MessagePack; undefined when it is missing, or nothing that MessagePack can carry. */
  raw(name: string): Uint8Array | undefined;
}

class MessagePackFields implements FrameFields {
  readonly isSound: boolean;
  private readonly bytes: Buffer;
  private readonly spans: readonly FieldSpan[];

  constructor(bytes: Buffer) {
    const { isSound, spans } = scanFields(bytes);
    this.isSound = isSound;
    this.bytes = bytes;
    this.spans = spans;
  }

  raw(name: string): Buffer | undefined {
    const span = this.last(name);
    return span && this.bytes.subarray(span.start, span.end);
  }

  isText(name: string, text: string): boolean {
    const value = this.raw(name);
    if (value === undefined || shapeAt(value, 0).kind !== 'string') return false;
    const start = 1 + shapeAt(value, 0).lengthBytes;
    return value.length - start === text.length && value.toString('latin1', start) === text;
  }

  /** Nearly every field is a short string, a small number or a flag: those spare the decoder. */
  read(name: string): unknown {
    const span = this.last(name);
    if (span === undefined) return undefined;
    const { start, end } = span;
    const head = this.bytes[start] as number;
    if (head < 0x80) return head;
    if (head >= 0xa0 && head < 0xc0) return this.bytes.toString('utf8', start + 1, end);
    if (head === 0xd9) return this.bytes.toString('utf8', start + 2, end);
    if (head === 0xc2 || head === 0xc3) return head === 0xc3;
    return decode(this.bytes.subarray(start, end)) ?? undefined;
  }

  /** Of a field that was sent twice the last one counts, as in JSON. */
  private last(name: string): FieldSpan | undefined {
    let found: FieldSpan | undefined;
    for (const span of this.spans) if (span.name === name) found = span;
    return found;
  }
}

export const messagePackFields = (bytes: Buffer): FrameFields => new MessagePackFields(bytes);

class JsonFields implements FrameFields {
  readonly isSound: boolean;
  private readonly object: Readonly<Record<string, unknown>>;

  constructor(object: Readonly<Record<string, unknown>>) {
    this.isSound = Object.keys(object).length <= maxFrameFields;
    this.object = object;
  }

  isText(name: string, text: string): boolean {
    return this.read(name) === text;
  }

  read(name: string): unknown {
    return Object.hasOwn(this.object, name) ? (this.object[name] ?? undefined) : undefined;
  }

  raw(name: string): Uint8Array | undefined {
    return Object.hasOwn(this.object, name) ? encoded(this.object[name]) : undefined;
  }
}

/** Undefined unless it is a JSON object within the limits of MessagePack frames. */
export const jsonFields = (bytes: Buffer): FrameFields | undefined => {
  const object = isSoundJson(bytes) ? parsedObject(bytes) : undefined;
  return object === undefined || Object.hasOwn(object, '__proto__') ? undefined : new JsonFields(object);
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

const encoder = new Encoder();

/** The scan after the encoding finds `__proto__`, which `JSON.parse` makes an ordinary key. */
const encoded = (value: unknown): Uint8Array | undefined => {
  const bytes = encoder.encode(value);
  return isSoundMessagePack(bytes, 1) ? bytes : undefined;
};
