import { Buffer, isUtf8 } from 'node:buffer';
import { maxFrameFields, maxNesting } from './limits.js';

type Kind = 'integer' | 'scalar' | 'string' | 'binary' | 'timestamp' | 'array' | 'map' | 'refused';

/** The structure that the first byte of a value announces. */
interface Shape {
  readonly kind: Kind;
  /** Bytes of the length that follows; 0 where the first byte contains it. */
  readonly lengthBytes: 0 | 1 | 2 | 4;
  /** Bytes of content, or items, or pairs, where the first byte contains the number. */
  readonly length: number;
}

const fixed = (kind: Kind, length: number): Shape => ({ kind, lengthBytes: 0, length });

const sized = (kind: Kind, lengthBytes: 1 | 2 | 4): Shape => ({ kind, lengthBytes, length: 0 });

const widths = [1, 2, 4] as const;

const shapeOf = (head: number): Shape => {
  if (head < 0x80 || head >= 0xe0) return fixed('integer', 0);
  if (head < 0x90) return fixed('map', head - 0x80);
  if (head < 0xa0) return fixed('array', head - 0x90);
  if (head < 0xc0) return fixed('string', head - 0xa0);
  if (head === 0xc1) return fixed('refused', 0);
  if (head < 0xc4) return fixed('scalar', 0);
  if (head < 0xc7) return sized('binary', widths[(head - 0xc4) as 0 | 1 | 2]);
  if (head < 0xca) return sized('timestamp', widths[(head - 0xc7) as 0 | 1 | 2]);
  if (head < 0xcc) return fixed('scalar', head === 0xca ? 4 : 8);
  if (head < 0xd4) return fixed('integer', 1 << ((head - 0xcc) & 3));
  if (head < 0xd9) return fixed('timestamp', 1 << (head - 0xd4));
  if (head < 0xdc) return sized('string', widths[(head - 0xd9) as 0 | 1 | 2]);
  return sized(head < 0xde ? 'array' : 'map', head % 2 === 0 ? 2 : 4);
};

const shapes: readonly Shape[] = Array.from({ length: 256 }, (_, head) => shapeOf(head));

/** 0xc1 is unused in MessagePack, so it also represents the end of the bytes. */
export const shapeAt = (bytes: Uint8Array, at: number): Shape => shapes[bytes[at] ?? 0xc1] as Shape;

/** The position of a field's value in a frame. */
export interface FieldSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export interface FieldScan {
  /** Whether the whole frame is a sound map. */
  readonly isSound: boolean;
  /** Its fields, or those in front of what is wrong: each of them is sound. */
  readonly spans: readonly FieldSpan[];
}

export interface ItemScan {
  readonly name: string;
  /** Where each item begins and ends. */
  readonly spans: readonly number[];
}

/** Heads that are a whole value, among them empty texts and containers. */
const isWholeValue = Uint8Array.from(shapes, ({ kind, lengthBytes, length }) =>
  kind !== 'refused' && lengthBytes === 0 && length === 0 ? 1 : 0,
);

const longestName = 32;
const poisonedKey = Buffer.from('__proto__');
const timestampLengths: readonly number[] = [4, 8, 12];

/** Of each open container what is left, and whether it is a map. One scan runs at a time. */
const leftAt = new Float64Array(maxNesting + 1);
const isMapAt = new Uint8Array(maxNesting + 1);

/**
 * Looks at the structure of MessagePack without building anything. Decoders believe declared lengths: five bytes
 * can make one allocate for 30 million items, so that nothing may reach one before it has passed here.
 */
class Scanner {
  private readonly bytes: Buffer;
  private position = 0;
  /** Values announced and not yet seen, over all open arrays and maps: each needs a byte at least. */
  private owed = 0;
  /** Of the container that was opened last. */
  private openedMap = false;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  isOneValue(depth: number): boolean {
    this.owed = 1;
    return this.value(depth) && this.position === this.bytes.length;
  }

  fields(): FieldScan {
    const spans: FieldSpan[] = [];
    return { isSound: this.collect(spans), spans };
  }

  /** See `scanItems`. */
  items(most: number): ItemScan | undefined {
    const outer = shapeAt(this.bytes, this.position++);
    if (outer.kind !== 'map' || this.length(outer) !== 1 || !this.owe(2)) return undefined;
    const name = this.fieldName();
    const list = shapeAt(this.bytes, this.position++);
    this.owed--;
    const count = this.length(list);
    if (name === undefined || list.kind !== 'array' || !this.owe(count)) return undefined;
    const spans: number[] = [];
    for (let left = Math.min(count, most + 1); left > 0; left--) {
      const start = this.position;
      if (!this.value(0)) return undefined;
      spans.push(start, this.position);
    }
    return count > most || this.position === this.bytes.length ? { name, spans } : undefined;
  }

  private collect(spans: FieldSpan[]): boolean {
    const shape = shapeAt(this.bytes, this.position++);
    const count = this.length(shape);
    if (shape.kind !== 'map' || count > maxFrameFields || !this.owe(2 * count)) return false;
    for (let pair = 0; pair < count; pair++) {
      const name = this.fieldName();
      const start = this.position;
      if (name === undefined || !this.value(1)) return false;
      spans.push({ name, start, end: this.position });
    }
    return this.position === this.bytes.length;
  }

  /**
   * A name too long to be one of ours is cut, and so matches no field. An integer has none: the bytes
   * of some would spell one.
   */
  private fieldName(): string | undefined {
    const head = this.position;
    this.owed--;
    if (!this.key()) return undefined;
    if (shapeAt(this.bytes, head).kind === 'integer') return '';
    const start = this.contentAfter(head);
    return this.bytes.toString('latin1', start, Math.min(this.position, start + longestName));
  }

  /** Without recursion, and without looking up the shape of what is frequent. */
  private value(outerDepth: number): boolean {
    let depth = outerDepth;
    let left = 1;
    let isMap = false;
    for (;;) {
      if (!isMap && depth < maxNesting) left -= this.skipWholeValues(left);
      while (left === 0) {
        if (depth === outerDepth) return true;
        depth--;
        left = leftAt[depth] as number;
        isMap = isMapAt[depth] === 1;
      }
      left--;
      // Of a map as many values as keys are left when the next one is a key.
      const opened = this.item(depth, isMap && left % 2 === 1);
      if (opened < 0) return false;
      if (opened === 0) continue;
      leftAt[depth] = left;
      isMapAt[depth] = isMap ? 1 : 0;
      depth++;
      isMap = this.openedMap;
      left = isMap ? 2 * opened : opened;
    }
  }

  /** How many of so many values were one byte each: lists may have a million of them. */
  private skipWholeValues(most: number): number {
    const { bytes, position } = this;
    const end = Math.min(position + most, bytes.length);
    let at = position;
    while (at < end && isWholeValue[bytes[at] as number] === 1) at++;
    this.position = at;
    this.owed -= at - position;
    return at - position;
  }

  /** How many items, or pairs, of what begins here are to be read on; 0 for what has been read, -1 for what is wrong. */
  private item(depth: number, isKey: boolean): number {
    this.owed--;
    const head = this.bytes[this.position];
    if (head === undefined) return -1;
    if (head < 0x80 || head >= 0xe0) {
      this.position++;
      return 0;
    }
    if (isKey) return this.key() ? 0 : -1;
    const shape = shapes[head] as Shape;
    this.position++;
    const length = this.length(shape);
    switch (shape.kind) {
      case 'integer':
      case 'scalar':
      case 'binary':
        return this.skip(length) ? 0 : -1;
      case 'string':
        return this.text(length) ? 0 : -1;
      case 'timestamp':
        return this.timestamp(length) ? 0 : -1;
      case 'array':
        this.openedMap = false;
        return depth < maxNesting && this.owe(length) ? length : -1;
      case 'map':
        this.openedMap = true;
        return depth < maxNesting && this.owe(2 * length) ? length : -1;
      case 'refused':
        return -1;
    }
  }

  /** Decoders throw on other keys than strings and numbers, and on `__proto__`: no subscriber may be made to. */
  private key(): boolean {
    const head = this.position;
    const shape = shapeAt(this.bytes, head);
    this.position++;
    const length = this.length(shape);
    if (shape.kind === 'integer') return this.skip(length);
    if (shape.kind !== 'string' || !this.text(length)) return false;
    if (length !== poisonedKey.length) return true;
    return (
      this.bytes.compare(poisonedKey, 0, poisonedKey.length, this.position - length, this.position) !== 0
    );
  }

  private contentAfter(head: number): number {
    return head + 1 + shapeAt(this.bytes, head).lengthBytes;
  }

  private length(shape: Shape): number {
    const { lengthBytes } = shape;
    if (lengthBytes === 0) return shape.length;
    const start = this.position;
    if (start + lengthBytes > this.bytes.length) return Number.POSITIVE_INFINITY;
    this.position += lengthBytes;
    return this.bytes.readUIntBE(start, lengthBytes);
  }

  private owe(count: number): boolean {
    this.owed += count;
    return this.owed <= this.bytes.length - this.position;
  }

  private skip(count: number): boolean {
    this.position += count;
    return this.position <= this.bytes.length;
  }

  private text(length: number): boolean {
    const start = this.position;
    if (!this.skip(length)) return false;
    if (length > 64) return isUtf8(this.bytes.subarray(start, this.position));
    // Short, as nearly all are: cheaper than a call.
    let at = start;
    while (at < this.position && (this.bytes[at] as number) < 0x80) at++;
    return at === this.position || isShortUtf8(this.bytes, at, this.position);
  }

  private timestamp(length: number): boolean {
    const type = this.bytes[this.position];
    return type === 0xff && timestampLengths.includes(length) && this.skip(1 + length);
  }
}

/** The range of the second byte, which says more than that it is a continuation. */
const secondOf = (lead: number): readonly [number, number] => {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  return lead === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
};
const seconds = Array.from({ length: 256 }, (_, lead) => secondOf(lead));

const isShortUtf8 = (bytes: Uint8Array, start: number, end: number): boolean => {
  for (let at = start; at < end;) {
    const lead = bytes[at++] as number;
    if (lead < 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return false;
    const [from, to] = seconds[lead] as readonly [number, number];
    const last = at + (lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3);
    const second = bytes[at++] as number;
    if (last > end || second < from || second > to) return false;
    while (at < last) if (((bytes[at++] as number) & 0xc0) !== 0x80) return false;
  }
  return true;
};

/**
 * Whether the bytes are exactly one value that any decoder takes: lengths that fit into the remaining bytes, in total;
 * at most 64 levels; no extension but timestamps; valid UTF-8; keys that are strings or integers and not `__proto__`.
 */
export const isSoundMessagePack = (bytes: Uint8Array, depth = 0): boolean =>
  new Scanner(bytes).isOneValue(depth);

/** The fields of a map, none for anything else. The values stay where they are, undecoded. */
export const scanFields = (bytes: Uint8Array): FieldScan => new Scanner(bytes).fields();

/**
 * Of a map with one field, a list: its name and its items. An item has at most 64 levels of its own. Of a list with more than
 * `most` items it stops behind one more. Undefined for anything else.
 */
export const scanItems = (bytes: Uint8Array, most: number): ItemScan | undefined =>
  new Scanner(bytes).items(most);
