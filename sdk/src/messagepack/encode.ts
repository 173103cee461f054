/**
 * MessagePack of the client's own: the library takes more than a third of the 16 kB that a page may spend on the client. What it
 * writes is what the library writes, which the tests hold beside it.
 */
export interface EncodeOptions {
  /** Of values inside one another; the value itself is at depth 1. */
  readonly maxDepth?: number;
}

/** Throws for what MessagePack cannot express. Fields that are undefined are left out; elsewhere undefined is nil. */
export const encode = (
  value: unknown,
  { maxDepth = Infinity }: EncodeOptions = {},
): Uint8Array<ArrayBuffer> => {
  const writer = new Writer(maxDepth);
  writer.value(value, 1);
  return writer.written();
};

const text = new TextEncoder();
const two32 = 2 ** 32;

class Writer {
  private bytes = new Uint8Array(512);
  private view = new DataView(this.bytes.buffer);
  private at = 0;

  private readonly maxDepth: number;

  constructor(maxDepth: number) {
    this.maxDepth = maxDepth;
  }

  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.at);
  }

  value(value: unknown, depth: number): void {
    if (depth > this.maxDepth) throw new RangeError(`More than ${this.maxDepth} levels`);
    if (value === undefined || value === null) this.head(0xc0);
    else if (typeof value === 'boolean') this.head(value ? 0xc3 : 0xc2);
    else if (typeof value === 'number') this.number(value);
    else if (typeof value === 'string') this.text(value);
    else if (typeof value === 'bigint') this.integer(value);
    else if (typeof value !== 'object') throw new TypeError(`A ${typeof value} cannot be encoded`);
    else if (value instanceof Date) this.time(value);
    else if (Array.isArray(value)) this.array(value, depth);
    else if (ArrayBuffer.isView(value)) this.binary(value);
    else this.map(value as Readonly<Record<string, unknown>>, depth);
  }

  /** Room for that many bytes, and where they begin. Asked for before `bytes` or `view` are, which it may replace. */
  private take(length: number): number {
    const from = this.at;
    this.at += length;
    if (this.at > this.bytes.length) {
      const larger = new Uint8Array(this.at * 2);
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    return from;
  }

  private head(byte: number): void {
    const at = this.take(1);
    this.bytes[at] = byte;
  }

  private number8(head: number, value: number): void {
    this.head(head);
    this.head(value);
  }

  private number16(head: number, value: number): void {
    this.head(head);
    const at = this.take(2);
    this.view.setUint16(at, value);
  }

  private number32(head: number, value: number): void {
    this.head(head);
    this.word(value);
  }

  private number64(head: number, value: number): void {
    this.number32(head, Math.floor(value / two32));
    this.word(value);
  }

  /** The lowest 32 bits, of a negative number as its complement. */
  private word(value: number): void {
    const at = this.take(4);
    this.view.setUint32(at, value);
  }

  private number(value: number): void {
    if (!Number.isSafeInteger(value)) {
      this.head(0xcb);
      const at = this.take(8);
      this.view.setFloat64(at, value);
    } else if (value >= 0) {
      if (value < 0x80) this.head(value);
      else if (value < 0x100) this.number8(0xcc, value);
      else if (value < 0x10000) this.number16(0xcd, value);
      else if (value < two32) this.number32(0xce, value);
      else this.number64(0xcf, value);
    } else if (value >= -0x20) this.head(value);
    else if (value >= -0x80) this.number8(0xd0, value);
    else if (value >= -0x8000) this.number16(0xd1, value);
    else if (value >= -0x80000000) this.number32(0xd2, value);
    else this.number64(0xd3, value);
  }

  private integer(value: bigint): void {
    if (BigInt.asIntN(54, value) === value) return this.number(Number(value));
    if (BigInt.asUintN(64, value) !== value && BigInt.asIntN(64, value) !== value)
      throw new RangeError('An integer of more than 64 bits cannot be encoded');
    this.head(value < 0n ? 0xd3 : 0xcf);
    const at = this.take(8);
    this.view.setBigUint64(at, value);
  }

  /** The kinds that have a length: a head of its own for a short one, or a size of 1, 2 or 4 bytes behind one of three heads. */
  private length(length: number, short: number, shortest: number, head8: number, head16: number): void {
    if (length < shortest) this.head(short | length);
    else if (head8 !== 0 && length < 0x100) this.number8(head8, length);
    else if (length < 0x10000) this.number16(head16, length);
    else this.number32(head16 + 1, length);
  }

  private text(value: string): void {
    const start = this.at;
    this.length(value.length, 0xa0, 0x20, 0xd9, 0xda);
    const from = this.take(value.length);
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      if (code >= 0x80) return this.longText(value, start);
      this.bytes[from + index] = code;
    }
  }

  /** Of more bytes than characters, which the head has to know. */
  private longText(value: string, start: number): void {
    this.at = start;
    const encoded = text.encode(value);
    this.length(encoded.length, 0xa0, 0x20, 0xd9, 0xda);
    this.raw(encoded);
  }

  private raw(bytes: Uint8Array): void {
    const from = this.take(bytes.length);
    this.bytes.set(bytes, from);
  }

  private binary({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.length(byteLength, 0, 0, 0xc4, 0xc5);
    this.raw(new Uint8Array(buffer, byteOffset, byteLength));
  }

  private array(items: readonly unknown[], depth: number): void {
    this.length(items.length, 0x90, 0x10, 0, 0xdc);
    for (const item of items) this.value(item, depth + 1);
  }

  private map(fields: Readonly<Record<string, unknown>>, depth: number): void {
    const present = Object.keys(fields).filter((key) => fields[key] !== undefined);
    this.length(present.length, 0x80, 0x10, 0, 0xde);
    for (const key of present) {
      this.text(key);
      this.value(fields[key], depth + 1);
    }
  }

  /** The extension -1: seconds in 4 bytes, with nanoseconds in 8, and before 1970 or far away in 12. */
  private time(date: Date): void {
    const milliseconds = date.getTime();
    const seconds = Math.floor(milliseconds / 1000);
    const nanoseconds = (milliseconds - seconds * 1000) * 1_000_000;
    if (!(seconds >= 0 && seconds < 2 ** 34)) {
      this.number8(0xc7, 12);
      this.number32(0xff, nanoseconds);
      this.word(Math.floor(seconds / two32));
      this.word(seconds);
    } else if (nanoseconds === 0 && seconds < two32) {
      this.head(0xd6);
      this.number32(0xff, seconds);
    } else {
      this.head(0xd7);
      this.number32(0xff, nanoseconds * 4 + Math.floor(seconds / two32));
      this.word(seconds);
    }
  }
}
