import { Buffer } from 'node:buffer';

/**
 * Writes sound MessagePack (see `isSoundMessagePack`) as JSON text. [HOOK-BODY-2] What JSON has no word for: bytes
 * become base64, NaN and infinities null, integers beyond 2^53 strings, timestamps ISO 8601 in UTC, integer keys text.
 */
export const messagePackAsJson = (bytes: Uint8Array): string => new Transcript(bytes).whole();

/** What JSON escapes. Other texts, which may be long, are not copied for it. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const escaped = /["\\\u0000-\u001f]/;

const largestExact = BigInt(Number.MAX_SAFE_INTEGER);

class Transcript {
  private readonly bytes: Buffer;
  private position = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  whole(): string {
    const text = this.value();
    if (this.position !== this.bytes.length) throw new RangeError('Not one MessagePack value');
    return text;
  }

  private value(): string {
    const head = this.unsigned(1);
    if (head < 0x80) return String(head);
    if (head < 0x90) return this.map(head - 0x80);
    if (head < 0xa0) return this.array(head - 0x90);
    if (head < 0xc0) return this.text(head - 0xa0);
    if (head >= 0xe0) return String(head - 0x100);
    return this.tagged(head);
  }

  private tagged(head: number): string {
    if (head === 0xc2) return 'false';
    if (head === 0xc3) return 'true';
    if (head === 0xca) return finite(this.taken(4).readFloatBE());
    if (head === 0xcb) return finite(this.taken(8).readDoubleBE());
    if (head >= 0xc4 && head <= 0xc6) return `"${this.sized(head - 0xc4).toString('base64')}"`;
    if (head >= 0xcc && head <= 0xcf) return this.integer(1 << (head - 0xcc), false);
    if (head >= 0xd0 && head <= 0xd3) return this.integer(1 << (head - 0xd0), true);
    if (head >= 0xd9 && head <= 0xdb) return this.text(this.unsigned(1 << (head - 0xd9)));
    if (head === 0xdc || head === 0xdd) return this.array(this.unsigned(head === 0xdc ? 2 : 4));
    if (head === 0xde || head === 0xdf) return this.map(this.unsigned(head === 0xde ? 2 : 4));
    if (head >= 0xc7 && head <= 0xd8) return this.extension(head);
    return 'null';
  }

  private integer(bytes: number, isSigned: boolean): string {
    const taken = this.taken(bytes);
    if (bytes < 8) return String(isSigned ? taken.readIntBE(0, bytes) : taken.readUIntBE(0, bytes));
    const value = isSigned ? taken.readBigInt64BE() : taken.readBigUInt64BE();
    const isExact = value >= -largestExact && value <= largestExact;
    return isExact ? value.toString() : `"${value}"`;
  }

  private text(length: number): string {
    const text = this.taken(length).toString('utf8');
    return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
  }

  private array(count: number): string {
    const items: string[] = [];
    for (let item = 0; item < count; item++) items.push(this.value());
    return `[${items.join(',')}]`;
  }

  private map(count: number): string {
    const pairs: string[] = [];
    for (let pair = 0; pair < count; pair++) pairs.push(`${this.key()}:${this.value()}`);
    return `{${pairs.join(',')}}`;
  }

  private key(): string {
    const key = this.value();
    return key.startsWith('"') ? key : `"${key}"`;
  }

  /** Timestamps are the only ones that a gateway lets in. */
  private extension(head: number): string {
    const length = head < 0xd4 ? this.unsigned(1 << (head - 0xc7)) : 1 << (head - 0xd4);
    const type = this.taken(1).readInt8();
    const content = this.taken(length);
    return type === -1 ? timestamp(content) : 'null';
  }

  private sized(power: number): Buffer {
    return this.taken(this.unsigned(1 << power));
  }

  private unsigned(bytes: number): number {
    return this.taken(bytes).readUIntBE(0, bytes);
  }

  private taken(length: number): Buffer {
    const start = this.position;
    this.position += length;
    if (this.position > this.bytes.length) throw new RangeError('Not one MessagePack value');
    return this.bytes.subarray(start, this.position);
  }
}

const finite = (value: number): string => (Number.isFinite(value) ? String(value) : 'null');

const billion = 1_000_000_000n;

/** Null for a moment that no `Date` reaches. */
const timestamp = (content: Buffer): string => {
  const date = new Date(milliseconds(content));
  return Number.isNaN(date.getTime()) ? 'null' : `"${date.toISOString()}"`;
};

const milliseconds = (content: Buffer): number => {
  if (content.length === 4) return content.readUInt32BE() * 1_000;
  if (content.length === 12)
    return Number(content.readBigInt64BE(4)) * 1_000 + Math.floor(content.readUInt32BE() / 1e6);
  const packed = content.readBigUInt64BE();
  const [nanoseconds, seconds] = [packed >> 34n, packed & 0x3_ffff_ffffn];
  return Number((seconds * billion + nanoseconds) / 1_000_000n);
};
