import { decode } from '@msgpack/msgpack';
import { type Fields, isFields } from '../scenario/match.js';

/** What passes the proxy as one: the head of the handshake, or a frame of the WebSocket. */
export interface Unit {
  readonly bytes: Buffer;
  /** The `type` of a frame of the protocol; else `handshake`, `heartbeat`, `ping`, `pong`, `close`, `fragment` or `unreadable`. */
  readonly name: string;
  /** Of a frame of the protocol. */
  readonly content: Fields | undefined;
}

const headEnd = Buffer.from('\r\n\r\n');

const controlFrames: Readonly<Record<number, string>> = { 8: 'close', 9: 'ping', 10: 'pong' };

/** Reads one direction of a connection. */
export class FrameReader {
  private waiting: Buffer = Buffer.alloc(0);
  private phase: 'handshake' | 'frames' | 'other' = 'handshake';

  /** What is whole by now, in order. */
  push(bytes: Buffer): Unit[] {
    this.waiting = Buffer.concat([this.waiting, bytes]);
    const units: Unit[] = [];
    for (let unit = this.next(); unit !== undefined; unit = this.next()) units.push(unit);
    return units;
  }

  private next(): Unit | undefined {
    if (this.phase === 'handshake') return this.nextHead();
    if (this.phase === 'frames') return this.nextFrame();
    return this.waiting.length === 0 ? undefined : { ...this.take(this.waiting.length), name: 'unreadable' };
  }

  private nextHead(): Unit | undefined {
    const end = this.waiting.indexOf(headEnd);
    if (end < 0) return undefined;
    const head = this.take(end + headEnd.length);
    const isRefusal = /^HTTP\/1\.1 (?!101)/.test(head.bytes.toString('latin1'));
    this.phase = isRefusal ? 'other' : 'frames';
    return { ...head, name: 'handshake' };
  }

  private nextFrame(): Unit | undefined {
    const header = readHeader(this.waiting);
    if (header === undefined || this.waiting.length < header.start + header.length) return undefined;
    const { bytes } = this.take(header.start + header.length);
    return { bytes, ...describe(header, unmasked(bytes, header)) };
  }

  private take(length: number): Pick<Unit, 'bytes' | 'content'> {
    const bytes = this.waiting.subarray(0, length);
    this.waiting = this.waiting.subarray(length);
    return { bytes, content: undefined };
  }
}

interface Header {
  readonly isFinal: boolean;
  readonly opcode: number;
  readonly isMasked: boolean;
  /** Where the payload begins. */
  readonly start: number;
  /** Of the payload. */
  readonly length: number;
}

/** RFC 6455, 5.2; undefined while it is not whole. */
const readHeader = (bytes: Buffer): Header | undefined => {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const sizeBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const isMasked = (second & 0x80) !== 0;
  const start = 2 + sizeBytes + (isMasked ? 4 : 0);
  if (bytes.length < start) return undefined;
  const length =
    sizeBytes === 0 ? short : sizeBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return { isFinal: (first & 0x80) !== 0, opcode: first & 0x0f, isMasked, start, length };
};

const unmasked = (bytes: Buffer, { isMasked, start }: Header): Buffer => {
  const payload = Buffer.from(bytes.subarray(start));
  if (!isMasked) return payload;
  const mask = bytes.subarray(start - 4, start);
  return Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
};

const describe = (header: Header, payload: Buffer): Pick<Unit, 'name' | 'content'> => {
  const control = controlFrames[header.opcode];
  if (control !== undefined) return { name: control, content: undefined };
  if (!header.isFinal || header.opcode === 0) return { name: 'fragment', content: undefined };
  if (payload.length === 0) return { name: 'heartbeat', content: undefined };
  const content = decoded(header, payload);
  return { name: typeof content?.['type'] === 'string' ? content['type'] : 'unreadable', content };
};

const decoded = ({ opcode }: Header, payload: Buffer): Fields | undefined => {
  try {
    const content: unknown = opcode === 1 ? JSON.parse(payload.toString()) : decode(payload);
    return isFields(content) ? content : undefined;
  } catch {
    return undefined;
  }
};
