/** Throws for bytes that are not exactly one value, for extensions that are no time, and for a key that could reach a prototype. */
export const decode = (bytes: Uint8Array): unknown => {
  const reader = new Reader(bytes);
  const value = reader.value();
  if (reader.left > 0) throw new RangeError(`${reader.left} bytes behind the value`);
  return value;
};

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Longer texts are faster to read natively. */
const longText = 64;

class Reader {
  private readonly view: DataView;
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  value(): unknown {
    const head = this.uint(1);
    if (head === 0xcf) return exact(this.view.getBigUint64(this.take(8)));
    if (head === 0xd3) return exact(this.view.getBigInt64(this.take(8)));
    if (head < 0x80) return head;
    if (head < 0x90) return this.map(head & 0x0f);
    if (head < 0xa0) return this.array(head & 0x0f);
    if (head < 0xc0) return this.text(head & 0x1f);
    if (head >= 0xe0) return head - 0x100;
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xca:
        return this.view.getFloat32(this.take(4));
      case 0xcb:
        return this.view.getFloat64(this.take(8));
      case 0xdc:
      case 0xdd:
        return this.array(this.uint(2 << (head & 1)));
      case 0xde:
      case 0xdf:
        return this.map(this.uint(2 << (head & 1)));
    }
    if (head >= 0xd9) return this.text(this.uint(1 << (head - 0xd9)));
    if (head >= 0xd4) return this.extension(1 << (head - 0xd4));
    if (head >= 0xd0) return this.int(1 << (head - 0xd0));
    if (head >= 0xcc) return this.uint(1 << (head - 0xcc));
    if (head >= 0xc7) return this.extension(this.uint(1 << (head - 0xc7)));
    if (head >= 0xc4) return this.bytes.subarray(...this.range(this.uint(1 << (head - 0xc4))));
    throw new TypeError('There is no value of type 0xc1');
  }

  /** Where the next bytes begin, which must be there. */
  private take(length: number): number {
    if (length > this.left) throw new RangeError(`${length - this.left} bytes are missing`);
    const from = this.at;
    this.at += length;
    return from;
  }

  private range(length: number): readonly [from: number, end: number] {
    return [this.take(length), this.at];
  }

  private uint(size: number): number {
    const from = this.take(size);
    if (size === 1) return this.view.getUint8(from);
    if (size === 2) return this.view.getUint16(from);
    const high = this.view.getUint32(from);
    return size === 4 ? high : high * 2 ** 32 + this.view.getUint32(from + 4);
  }

  private int(size: number): number {
    const from = this.take(size);
    if (size === 1) return this.view.getInt8(from);
    if (size === 2) return this.view.getInt16(from);
    const high = this.view.getInt32(from);
    return size === 4 ? high : high * 2 ** 32 + this.view.getUint32(from + 4);
  }

  private text(length: number): string {
    const [from, end] = this.range(length);
    if (length > longText) return utf8.decode(this.bytes.subarray(from, end));
    let text = '';
    for (let index = from; index < end; index += 1) {
      const byte = this.bytes[index] as number;
      if (byte >= 0x80) return utf8.decode(this.bytes.subarray(from, end));
      text += String.fromCharCode(byte);
    }
    return text;
  }

  private array(length: number): unknown[] {
    // Each item takes a byte at least, so a larger length is a lie that no memory is reserved for.
    this.assertLeft(length);
    const items: unknown[] = [];
    for (let index = 0; index < length; index += 1) items.push(this.value());
    return items;
  }

  private map(length: number): Readonly<Record<string, unknown>> {
    this.assertLeft(length);
    const fields: Record<string, unknown> = {};
    for (let index = 0; index < length; index += 1) {
      const key = this.value();
      if (typeof key !== 'string' && typeof key !== 'number')
        throw new TypeError('A key is text or a number');
      if (key === '__proto__') throw new TypeError('The key __proto__ is not allowed');
      fields[key] = this.value();
    }
    return fields;
  }

  private assertLeft(length: number): void {
    if (length > this.left) throw new RangeError(`${length} entries in ${this.left} bytes`);
  }

  private extension(size: number): Date {
    const type = this.int(1);
    const sizes = [4, 8, 12];
    if (type !== -1 || !sizes.includes(size)) throw new TypeError(`The extension ${type} is not supported`);
    if (size === 4) return new Date(this.uint(4) * 1000);
    const first = this.uint(4);
    if (size === 12) return dateOf(this.int(8), first);
    return dateOf((first & 3) * 2 ** 32 + this.uint(4), first >>> 2);
  }
}

/** A number where it holds every digit. */
const exact = (value: bigint): number | bigint =>
  BigInt.asIntN(54, value) === value ? Number(value) : value;

const dateOf = (seconds: number, nanoseconds: number): Date => new Date(seconds * 1000 + nanoseconds / 1e6);
