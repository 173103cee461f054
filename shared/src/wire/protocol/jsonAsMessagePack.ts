import { Buffer } from 'node:buffer';
import { codeUnit, isHighSurrogate, isSpace, token } from './jsonScan.js';

/** For values up to a third of it; larger ones get a buffer of their own, so that little memory stays. */
const kept = Buffer.allocUnsafeSlow(192 * 1024);

/** A number of three characters may take nine bytes. */
const growth = 3;
const longestHead = 16;

/** Within it a loop is cheaper than a call of native code. */
const nearBytes = 32;

const poisonedKey = Buffer.from('__proto__');
const escaped: ReadonlyMap<number, number> = new Map(
  Object.entries({ b: 8, f: 12, n: 10, r: 13, t: 9 }).map(([letter, byte]) => [letter.charCodeAt(0), byte]),
);

/** Writes one sound JSON value as MessagePack, byte by byte: nothing in between is built. */
class Transcoder {
  private readonly from: Buffer;
  private readonly end: number;
  private readonly to: Buffer;
  private at: number;
  private written = 0;
  private isPoisoned = false;
  /** Of the string that was read last. */
  private hasEscapes = false;
  /** The first one behind the strings that were read. */
  private nextBackslash = -1;

  constructor(from: Buffer, start: number, end: number) {
    this.from = from;
    this.at = start;
    this.end = end;
    const most = growth * (end - start) + longestHead;
    this.to = most <= kept.length ? kept : Buffer.allocUnsafeSlow(most);
  }

  run(): Uint8Array | undefined {
    const counts = this.counts();
    this.nextBackslash = -1;
    for (let container = 0; this.at < this.end && !this.isPoisoned;) {
      const byte = this.from[this.at] as number;
      if (byte === token.openArray) this.head(0x90, 0xdc, counts[container++] as number);
      else if (byte === token.openObject) this.head(0x80, 0xde, counts[container++] as number);
      else if (byte === token.quote) this.string();
      else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) this.number();
      else if (byte === 0x74) this.literal(0xc3, 4);
      else if (byte === 0x66) this.literal(0xc2, 5);
      else if (byte === 0x6e) this.literal(0xc0, 4);
      else this.at++; // Space, a comma, a colon, or the end of a container.
    }
    return this.isPoisoned ? undefined : new Uint8Array(this.to.subarray(0, this.written));
  }

  /** How much is in each container, in the order in which they begin: MessagePack says so in front. */
  private counts(): readonly number[] {
    const counts: number[] = [];
    const outer: number[] = [];
    let current = -1;
    for (let at = this.at; at < this.end; at++) {
      const byte = this.from[at] as number;
      if (byte === token.comma) (counts[current] as number)++;
      else if (byte === token.quote) at = this.endOfString(at);
      else if (byte === token.closeArray || byte === token.closeObject) current = outer.pop() as number;
      else if (byte === token.openArray || byte === token.openObject) {
        outer.push(current);
        current = counts.length;
        counts.push(this.isEmpty(at) ? 0 : 1);
      }
    }
    return counts;
  }

  private isEmpty(container: number): boolean {
    let at = container + 1;
    while (isSpace(this.from[at])) at++;
    return this.from[at] === token.closeArray || this.from[at] === token.closeObject;
  }

  /** The closing quote. Long strings without escapes, as nearly all are, are left to native code. */
  private endOfString(quote: number): number {
    const { from } = this;
    let at = quote + 1;
    this.hasEscapes = false;
    if (from[at] !== token.quote && this.isPlainFar(at)) return from.indexOf(token.quote, at);
    while (from[at] !== token.quote) {
      if (from[at] === token.backslash) {
        this.hasEscapes = true;
        at++;
      }
      at++;
    }
    return at;
  }

  /** Whether no quote or backslash is near, and no backslash before the next quote. */
  private isPlainFar(start: number): boolean {
    const { from } = this;
    for (let at = start; at < start + nearBytes; at++)
      if (from[at] === token.quote || from[at] === token.backslash) return false;
    if (this.nextBackslash < start) {
      const found = from.indexOf(token.backslash, start);
      this.nextBackslash = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.nextBackslash > from.indexOf(token.quote, start);
  }

  private head(short: number, long: number, count: number): void {
    this.at++;
    if (count < 16) this.to[this.written++] = short + count;
    else if (count < 0x10000) this.sized(long, 2, count);
    else this.sized(long + 1, 4, count);
  }

  private sized(head: number, width: 1 | 2 | 4, value: number): void {
    this.to[this.written] = head;
    this.to.writeUIntBE(value, this.written + 1, width);
    this.written += 1 + width;
  }

  private literal(byte: number, length: number): void {
    this.to[this.written++] = byte;
    this.at += length;
  }

  private string(): void {
    const start = this.at + 1;
    const quote = this.endOfString(this.at);
    const { hasEscapes } = this;
    const length = hasEscapes ? this.decodedLength(start, quote) : quote - start;
    if (length < 32) this.to[this.written++] = 0xa0 + length;
    else if (length < 0x100) this.sized(0xd9, 1, length);
    else if (length < 0x10000) this.sized(0xda, 2, length);
    else this.sized(0xdb, 4, length);
    const content = this.written;
    if (hasEscapes) this.unescape(start, quote);
    else this.copy(start, quote);
    this.at = quote + 1;
    if (length === poisonedKey.length) this.isPoisoned = this.isKey() && this.isPoison(content);
  }

  private copy(start: number, end: number): void {
    if (end - start > 24) this.from.copy(this.to, this.written, start, end);
    else for (let at = start, to = this.written; at < end; at++, to++) this.to[to] = this.from[at] as number;
    this.written += end - start;
  }

  private isKey(): boolean {
    while (isSpace(this.from[this.at])) this.at++;
    return this.from[this.at] === token.colon;
  }

  private isPoison(content: number): boolean {
    return poisonedKey.equals(this.to.subarray(content, this.written));
  }

  /** In UTF-8. */
  private decodedLength(start: number, end: number): number {
    let length = 0;
    for (let at = start; at < end; at++, length++) {
      if (this.from[at] !== token.backslash) continue;
      at++;
      if (this.from[at] !== 0x75) continue;
      const unit = codeUnit(this.from, at + 1);
      at += 4;
      if (isHighSurrogate(unit)) {
        at += 6;
        length += 3;
      } else if (unit >= 0x80) length += unit < 0x800 ? 1 : 2;
    }
    return length;
  }

  private unescape(start: number, end: number): void {
    for (let at = start; at < end; at++) {
      const byte = this.from[at] as number;
      if (byte !== token.backslash) {
        this.to[this.written++] = byte;
        continue;
      }
      const letter = this.from[++at] as number;
      if (letter === 0x75) at = this.codePoint(at + 1);
      else this.to[this.written++] = escaped.get(letter) ?? letter;
    }
  }

  /** The last byte of the escape, of a pair where it is one. */
  private codePoint(at: number): number {
    const unit = codeUnit(this.from, at);
    if (!isHighSurrogate(unit)) {
      this.utf8(unit);
      return at + 3;
    }
    this.utf8(0x10000 + ((unit - 0xd800) << 10) + codeUnit(this.from, at + 6) - 0xdc00);
    return at + 9;
  }

  private utf8(point: number): void {
    const { to } = this;
    if (point < 0x80) to[this.written++] = point;
    else if (point < 0x800) to[this.written++] = 0xc0 | (point >> 6);
    else if (point < 0x10000) {
      to[this.written++] = 0xe0 | (point >> 12);
      to[this.written++] = 0x80 | ((point >> 6) & 0x3f);
    } else {
      to[this.written++] = 0xf0 | (point >> 18);
      to[this.written++] = 0x80 | ((point >> 12) & 0x3f);
      to[this.written++] = 0x80 | ((point >> 6) & 0x3f);
    }
    if (point >= 0x80) to[this.written++] = 0x80 | (point & 0x3f);
  }

  private number(): void {
    const start = this.at;
    let at = start;
    while (at < this.end && numberBytes[this.from[at] as number] === 1) at++;
    this.at = at;
    const value = at - start <= 9 ? this.shortNatural(start, at) : -1;
    if (value >= 0) this.writeNatural(value);
    else this.writeNumber(Number(this.from.toString('latin1', start, at)));
  }

  /** Nearly all are: cheaper than by way of a string. -1 for others. */
  private shortNatural(start: number, end: number): number {
    let value = 0;
    for (let at = start; at < end; at++) {
      const digit = (this.from[at] as number) - 0x30;
      if (digit < 0 || digit > 9) return -1;
      value = value * 10 + digit;
    }
    return value;
  }

  /** As the encoder of the server does. */
  private writeNumber(value: number): void {
    const { to, written } = this;
    if (!Number.isSafeInteger(value)) {
      to[written] = 0xcb;
      this.written = to.writeDoubleBE(value, written + 1);
    } else if (value >= 0) this.writeNatural(value);
    else if (value >= -0x20) this.written = to.writeInt8(value, written);
    else if (value >= -0x80) this.signed(0xd0, 1, value);
    else if (value >= -0x8000) this.signed(0xd1, 2, value);
    else if (value >= -0x80000000) this.signed(0xd2, 4, value);
    else {
      to[written] = 0xd3;
      this.written = to.writeBigInt64BE(BigInt(value), written + 1);
    }
  }

  private writeNatural(value: number): void {
    const { to, written } = this;
    if (value < 0x80) to[this.written++] = value;
    else if (value < 0x100) this.sized(0xcc, 1, value);
    else if (value < 0x10000) this.sized(0xcd, 2, value);
    else if (value < 0x100000000) this.sized(0xce, 4, value);
    else {
      to[written] = 0xcf;
      this.written = to.writeBigUInt64BE(BigInt(value), written + 1);
    }
  }

  private signed(head: number, width: 1 | 2 | 4, value: number): void {
    this.to[this.written] = head;
    this.written = this.to.writeIntBE(value, this.written + 1, width);
  }
}

const numberBytes = new Uint8Array(256);
for (const byte of Buffer.from('0123456789+-.eE')) numberBytes[byte] = 1;

/**
 * A value of sound JSON (see `scanJsonObject`) as MessagePack; undefined where an object has the key `__proto__`, which
 * decoders refuse. Keys stay in their order, and one that is there twice stays so.
 */
export const jsonAsMessagePack = (bytes: Buffer, start: number, end: number): Uint8Array | undefined =>
  new Transcoder(bytes, start, end).run();
