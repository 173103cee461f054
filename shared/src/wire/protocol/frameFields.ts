import type { Buffer } from 'node:buffer';
import { decode } from '@msgpack/msgpack';
import { jsonAsMessagePack } from './jsonAsMessagePack.js';
import { scanJsonObject, token } from './jsonScan.js';
import { maxAckIds, maxFrameFields } from './limits.js';
import { scanFields, shapeAt, type FieldSpan } from './messagePackScan.js';

/** The value of a field that no frame of the protocol has: it is not decoded. */
export const unreadable = Symbol('unreadable');

/** The fields of a frame, in either encoding. Nothing is decoded before it is asked for. */
export interface FrameFields {
  /** Otherwise the fields are those that could be read, for an error about the frame and nothing else. */
  readonly isSound: boolean;
  /** In their order, long ones of MessagePack cut. One that was sent twice is there twice. */
  names(): readonly string[];
  /** Whether a field is this ASCII text, without decoding it. */
  isText(name: string, text: string): boolean;
  /**
   * A field's value: text, a number, a flag, or a list of texts and of lists of texts, which is cut behind the first that are too
   * many for any field. `unreadable` for anything else, undefined when it is missing, or null.
   */
  read(name: string): unknown;
  /** A field's value as MessagePack; undefined when it is missing, or nothing that MessagePack can carry. */
  raw(name: string): Uint8Array | undefined;
}

/** Texts and lists of texts, up to one more than any list may have. */
class ListBuilder {
  readonly list: (string | string[])[] = [];
  private inner: string[] | undefined;
  private left = maxAckIds + 1;

  get isInInner(): boolean {
    return this.inner !== undefined;
  }

  get isFull(): boolean {
    return this.left <= 0;
  }

  add(text: string): void {
    this.left--;
    (this.inner ?? this.list).push(text);
  }

  beginInner(): void {
    this.left--;
    this.inner = [];
    this.list.push(this.inner);
  }

  endInner(): void {
    this.inner = undefined;
  }
}

const isAscii = (bytes: Uint8Array, start: number, text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text.charCodeAt(at)) return false;
  return true;
};

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

  names(): readonly string[] {
    return this.spans.map(({ name }) => name);
  }

  raw(name: string): Buffer | undefined {
    const span = this.last(name);
    return span && this.bytes.subarray(span.start, span.end);
  }

  isText(name: string, text: string): boolean {
    const span = this.last(name);
    if (span === undefined || shapeAt(this.bytes, span.start).kind !== 'string') return false;
    const start = this.contentOf(span.start);
    return span.end - start === text.length && isAscii(this.bytes, start, text);
  }

  read(name: string): unknown {
    const span = this.last(name);
    if (span === undefined) return undefined;
    const { start, end } = span;
    const head = this.bytes[start] as number;
    if (head < 0x80) return head;
    if (head === 0xc0) return undefined;
    if (head === 0xc2 || head === 0xc3) return head === 0xc3;
    const { kind } = shapeAt(this.bytes, start);
    if (kind === 'string') return this.bytes.toString('utf8', this.contentOf(start), end);
    if (kind === 'array') return this.list(start);
    // At most eight bytes behind the head.
    return kind === 'integer' || kind === 'scalar' ? decode(this.bytes.subarray(start, end)) : unreadable;
  }

  /** Of a field that was sent twice the last one counts, as in JSON. */
  private last(name: string): FieldSpan | undefined {
    let found: FieldSpan | undefined;
    for (const span of this.spans) if (span.name === name) found = span;
    return found;
  }

  private contentOf(start: number): number {
    return start + 1 + shapeAt(this.bytes, start).lengthBytes;
  }

  /** Of a string the bytes, of an array the items. */
  private lengthAt(start: number): number {
    const { length, lengthBytes } = shapeAt(this.bytes, start);
    return lengthBytes === 0 ? length : this.bytes.readUIntBE(start + 1, lengthBytes);
  }

  private list(start: number): unknown {
    const builder = new ListBuilder();
    let at = this.contentOf(start);
    let leftInInner = 0;
    for (let left = this.lengthAt(start); (left > 0 || leftInInner > 0) && !builder.isFull;) {
      if (leftInInner === 0) builder.endInner();
      if (builder.isInInner) leftInInner--;
      else left--;
      const { kind } = shapeAt(this.bytes, at);
      const [content, length] = [this.contentOf(at), this.lengthAt(at)];
      if (kind === 'string') {
        builder.add(this.bytes.toString('utf8', content, content + length));
        at = content + length;
      } else if (kind === 'array' && !builder.isInInner) {
        builder.beginInner();
        leftInInner = length;
        at = content;
      } else return unreadable;
    }
    return builder.list;
  }
}

export const messagePackFields = (bytes: Buffer): FrameFields => new MessagePackFields(bytes);

/** Numbers of a field in the result of the scan. */
const perField = 4;

class JsonFields implements FrameFields {
  readonly isSound: boolean;
  private readonly bytes: Buffer;
  private readonly spans: readonly number[];

  constructor(bytes: Buffer, spans: readonly number[]) {
    this.bytes = bytes;
    this.spans = spans;
    this.isSound = spans.length <= perField * maxFrameFields && this.last('__proto__') < 0;
  }

  names(): readonly string[] {
    const names: string[] = [];
    for (let at = 0; at < this.spans.length; at += perField)
      names.push(this.text((this.spans[at] as number) - 1, (this.spans[at + 1] as number) + 1));
    return names;
  }

  raw(name: string): Uint8Array | undefined {
    const at = this.last(name);
    return at < 0 ? undefined : jsonAsMessagePack(this.bytes, this.start(at), this.end(at));
  }

  isText(name: string, text: string): boolean {
    const at = this.last(name);
    if (at < 0 || this.bytes[this.start(at)] !== token.quote) return false;
    const [start, end] = [this.start(at) + 1, this.end(at) - 1];
    return end - start === text.length && isAscii(this.bytes, start, text);
  }

  read(name: string): unknown {
    const at = this.last(name);
    if (at < 0) return undefined;
    const [start, end] = [this.start(at), this.end(at)];
    const head = this.bytes[start];
    if (head === token.quote) return this.text(start, end);
    if (head === token.openArray) return this.list(start);
    if (head === token.openObject) return unreadable;
    return (JSON.parse(this.bytes.toString('latin1', start, end)) as number | boolean | null) ?? undefined;
  }

  /** The place of a field among the spans, of the last one of this name; -1 for none. */
  private last(name: string): number {
    for (let at = this.spans.length - perField; at >= 0; at -= perField)
      if (this.isNamed(at, name)) return at;
    return -1;
  }

  /** A name may be written with escapes, and is longer then. */
  private isNamed(at: number, name: string): boolean {
    const [start, end] = [this.spans[at] as number, this.spans[at + 1] as number];
    if (end - start === name.length) return isAscii(this.bytes, start, name);
    if (end - start < name.length || end - start > 6 * name.length) return false;
    const written = this.bytes.toString('utf8', start, end);
    return written.includes('\\') && JSON.parse(`"${written}"`) === name;
  }

  private start(at: number): number {
    return this.spans[at + 2] as number;
  }

  private end(at: number): number {
    return this.spans[at + 3] as number;
  }

  /** With its quotes. */
  private text(start: number, end: number): string {
    const written = this.bytes.toString('utf8', start + 1, end - 1);
    return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
  }

  private list(start: number): unknown {
    const { bytes } = this;
    const builder = new ListBuilder();
    for (let at = start + 1; !builder.isFull; at++) {
      const byte = bytes[at];
      if (byte === token.quote) {
        const from = at++;
        while (bytes[at] !== token.quote) at += bytes[at] === token.backslash ? 2 : 1;
        builder.add(this.text(from, at + 1));
      } else if (byte === token.openArray && !builder.isInInner) builder.beginInner();
      else if (byte === token.closeArray && builder.isInInner) builder.endInner();
      else if (byte === token.closeArray) break;
      else if (byte !== token.comma && (byte ?? 0) > 0x20) return unreadable;
    }
    return builder.list;
  }
}

/** Undefined unless it is a JSON object within the limits of MessagePack frames. */
export const jsonFields = (bytes: Buffer): FrameFields | undefined => {
  const spans = scanJsonObject(bytes);
  return spans && new JsonFields(bytes, spans);
};
