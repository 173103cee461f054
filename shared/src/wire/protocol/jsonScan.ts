import { Buffer } from 'node:buffer';
import { maxNesting } from './limits.js';

/** Bytes of JSON. */
export const token = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** -1 for a byte that is none. */
const hexDigit = (byte: number | undefined): number => {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
};

/** Of the four digits behind `\u`; negative where one is none. */
export const codeUnit = (bytes: Uint8Array, at: number): number => {
  let unit = 0;
  for (let digit = at; digit < at + 4; digit++) {
    const value = hexDigit(bytes[digit]);
    if (value < 0) return -1;
    unit = unit * 16 + value;
  }
  return unit;
};

export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

const simpleEscapes: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const [literalTrue, literalFalse, literalNull] = ['true', 'false', 'null'].map((word) =>
  Buffer.from(word),
) as [Buffer, Buffer, Buffer];

/** Whether each open container is an object. One scan runs at a time. */
const isObject: boolean[] = new Array<boolean>(maxNesting + 1).fill(false);

/** Reads JSON without building anything: its cost is in proportion to its bytes. They are valid UTF-8 already. */
class Scanner {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  isOneValue(): boolean {
    return this.value(0) && this.endsAfter(0);
  }

  fields(): number[] | undefined {
    const spans: number[] = [];
    this.skipSpace();
    if (this.bytes[this.at++] !== token.openObject) return undefined;
    this.skipSpace();
    if (this.bytes[this.at] === token.closeObject) return this.endsAfter(1) ? spans : undefined;
    for (;;) {
      this.skipSpace();
      const name = this.at + 1;
      if (!this.string()) return undefined;
      const nameEnd = this.at - 1;
      if (!this.colon()) return undefined;
      this.skipSpace();
      const start = this.at;
      if (!this.value(1)) return undefined;
      spans.push(name, nameEnd, start, this.at);
      this.skipSpace();
      const next = this.bytes[this.at++];
      if (next === token.closeObject) return this.endsAfter(0) ? spans : undefined;
      if (next !== token.comma) return undefined;
    }
  }

  /** See `scanJsonItems`. */
  items(most: number): number[] | undefined {
    if (!this.begins(token.openObject)) return undefined;
    this.skipSpace();
    const name = this.at + 1;
    if (!this.string()) return undefined;
    const spans = [name, this.at - 1];
    if (!this.colon() || !this.begins(token.openArray)) return undefined;
    this.skipSpace();
    if (this.bytes[this.at] === token.closeArray) this.at++;
    else if (!this.collectItems(spans, most)) return undefined;
    if (spans.length > 2 + 2 * most) return spans;
    return this.begins(token.closeObject) && this.endsAfter(0) ? spans : undefined;
  }

  /** Up to the end of the array, or one more than `most`. Each is as deep as if it stood alone. */
  private collectItems(spans: number[], most: number): boolean {
    for (let count = 0; count <= most; count++) {
      this.skipSpace();
      const start = this.at;
      if (!this.value(0)) return false;
      spans.push(start, this.at);
      this.skipSpace();
      const next = this.bytes[this.at++];
      if (next === token.closeArray) return true;
      if (next !== token.comma) return false;
    }
    return true;
  }

  private begins(byte: number): boolean {
    this.skipSpace();
    return this.bytes[this.at++] === byte;
  }

  /** Whether only space is left behind so many bytes. */
  private endsAfter(count: number): boolean {
    this.at += count;
    this.skipSpace();
    return this.at === this.bytes.length;
  }

  private skipSpace(): void {
    while (isSpace(this.bytes[this.at])) this.at++;
  }

  private colon(): boolean {
    this.skipSpace();
    return this.bytes[this.at++] === token.colon;
  }

  private key(): boolean {
    this.skipSpace();
    return this.string() && this.colon();
  }

  /** Without recursion. */
  private value(outerDepth: number): boolean {
    let depth = outerDepth;
    for (;;) {
      this.skipSpace();
      const opened = this.open(depth);
      if (opened === undefined) return false;
      if (opened) {
        depth++;
        continue;
      }
      depth = this.close(depth, outerDepth);
      if (depth < 0) return false;
      if (depth === outerDepth) return true;
    }
  }

  /** Whether a container with something in it begins here, and is to be read on; undefined for what is wrong. */
  private open(depth: number): boolean | undefined {
    const head = this.bytes[this.at];
    if (head !== token.openObject && head !== token.openArray) return this.scalar(head) ? false : undefined;
    if (depth >= maxNesting) return undefined;
    this.at++;
    this.skipSpace();
    const isMap = head === token.openObject;
    if (this.bytes[this.at] === (isMap ? token.closeObject : token.closeArray)) {
      this.at++;
      return false;
    }
    isObject[depth + 1] = isMap;
    if (isMap && !this.key()) return undefined;
    return true;
  }

  /** The depth at which the next value is, the outer one behind the last; -1 for what is wrong. */
  private close(from: number, outerDepth: number): number {
    let depth = from;
    while (depth > outerDepth) {
      this.skipSpace();
      const byte = this.bytes[this.at++];
      const isMap = isObject[depth] as boolean;
      if (byte === token.comma) return !isMap || this.key() ? depth : -1;
      if (byte !== (isMap ? token.closeObject : token.closeArray)) return -1;
      depth--;
    }
    return depth;
  }

  private scalar(head: number | undefined): boolean {
    if (head === token.quote) return this.string();
    if (head === literalTrue[0]) return this.literal(literalTrue);
    if (head === literalFalse[0]) return this.literal(literalFalse);
    return head === literalNull[0] ? this.literal(literalNull) : this.number();
  }

  private literal(word: Uint8Array): boolean {
    for (const byte of word) if (this.bytes[this.at++] !== byte) return false;
    return true;
  }

  private number(): boolean {
    if (this.bytes[this.at] === 0x2d) this.at++;
    if (this.bytes[this.at] === 0x30) this.at++;
    else if (!this.digits()) return false;
    if (this.bytes[this.at] === 0x2e) {
      this.at++;
      if (!this.digits()) return false;
    }
    if (((this.bytes[this.at] ?? 0) | 0x20) !== 0x65) return true;
    this.at++;
    if (this.bytes[this.at] === 0x2b || this.bytes[this.at] === 0x2d) this.at++;
    return this.digits();
  }

  private digits(): boolean {
    const start = this.at;
    while (isDigit(this.bytes[this.at])) this.at++;
    return this.at > start;
  }

  private string(): boolean {
    const { bytes } = this;
    if (bytes[this.at] !== token.quote) return false;
    for (let at = this.at + 1; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === token.quote) {
        this.at = at + 1;
        return true;
      }
      if (byte < 0x20) return false;
      if (byte !== token.backslash) continue;
      at = this.endOfEscape(at + 1);
      if (at < 0) return false;
    }
    return false;
  }

  /** The last byte of an escape, of a pair where it is one; -1 for half of a pair, and for what is none. */
  private endOfEscape(at: number): number {
    if (this.bytes[at] !== 0x75) return simpleEscapes.has(this.bytes[at] ?? 0) ? at : -1;
    const unit = codeUnit(this.bytes, at + 1);
    if (unit < 0 || isLowSurrogate(unit)) return -1;
    if (!isHighSurrogate(unit)) return at + 4;
    const isPair =
      this.bytes[at + 5] === token.backslash &&
      this.bytes[at + 6] === 0x75 &&
      isLowSurrogate(codeUnit(this.bytes, at + 7));
    return isPair ? at + 10 : -1;
  }
}

/**
 * The fields of a JSON object with at most 64 levels and no half of a surrogate pair; undefined for anything else. Four numbers
 * a field: where its name begins and ends, without the quotes, and its value.
 */
export const scanJsonObject = (bytes: Uint8Array): readonly number[] | undefined =>
  new Scanner(bytes).fields();

/**
 * Of a JSON object with one field, a list: where its name begins and ends, and each of the items. An item has at most 64 levels of its
 * own. Of a list with more than `most` items it stops behind one more. Undefined for anything else.
 */
export const scanJsonItems = (bytes: Uint8Array, most: number): readonly number[] | undefined =>
  new Scanner(bytes).items(most);

/** Whether it is one JSON value with at most 64 levels and no half of a surrogate pair. */
export const isSoundJson = (bytes: Uint8Array): boolean => new Scanner(bytes).isOneValue();
