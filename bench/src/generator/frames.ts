import { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { StampReader } from './stampReader.js';

const final = 0x80;
export const textOpcode = 1;
const binaryOpcode = 2;
const masked = 0x80;
const maskBytes = 4;

/**
 * A complete frame from a client. The mask is four zeros: valid, the same work for the server, and the payload in it
 * can be changed in place.
 */
export const clientFrame = (payload: Uint8Array, opcode = binaryOpcode): Buffer => {
  const { length } = payload;
  const header = Buffer.alloc((length < 126 ? 2 : length < 65_536 ? 4 : 10) + maskBytes);
  header[0] = final | opcode;
  if (length < 126) {
    header[1] = masked | length;
  } else if (length < 65_536) {
    header[1] = masked | 126;
    header.writeUInt16BE(length, 2);
  } else {
    header[1] = masked | 127;
    header.writeUInt32BE(Math.floor(length / 2 ** 32), 2);
    header.writeUInt32BE(length % 2 ** 32, 6);
  }
  return Buffer.concat([header, payload]);
};

export interface FrameSink {
  /** A frame is complete. `stamp` is the number found in it, 0 when none was looked for or it has none. */
  onFrame(opcode: number, length: number, stamp: number): void;
}

const longestHeader = 10;

/**
 * Finds the frames in what a server sends by their headers alone: payloads are stepped over, nothing is copied and
 * nothing is allocated, so that the generator can take more than any server gives. Chunks may end anywhere.
 */
export class FrameWalker {
  /** Where in a payload the stamp begins, in bytes before its end (a little-endian double); 0 looks for none. */
  stampFromEnd = 0;
  private readonly sink: FrameSink;
  private readonly header = Buffer.alloc(longestHeader);
  private readonly stamp = new StampReader();
  private gathered = 0;
  private isInPayload = false;
  private opcode = 0;
  private length = 0;
  private left = 0;

  constructor(sink: FrameSink) {
    this.sink = sink;
  }

  /** The first `end` bytes of the chunk. */
  walk(chunk: Buffer, end: number): void {
    let at = 0;
    while (at < end) {
      at = this.isInPayload ? this.walkPayload(chunk, at, end) : this.walkHeader(chunk, at, end);
    }
  }

  private walkHeader(chunk: Buffer, from: number, end: number): number {
    if (this.gathered === 0 && end - from >= longestHeader) return from + this.takeHeader(chunk, from);
    let at = from;
    while (at < end) {
      this.header[this.gathered] = chunk[at] as number;
      this.gathered += 1;
      at += 1;
      if (this.gathered >= 2 && this.gathered === headerLength(this.header[1] as number)) {
        this.gathered = 0;
        this.takeHeader(this.header, 0);
        return at;
      }
    }
    return at;
  }

  private takeHeader(bytes: Buffer, at: number): number {
    const second = bytes[at + 1] as number;
    const size = headerLength(second);
    this.opcode = (bytes[at] as number) & 0x0f;
    this.length = size === 2 ? second : size === 4 ? bytes.readUInt16BE(at + 2) : readUInt64(bytes, at + 2);
    this.left = this.length;
    this.stamp.value = 0;
    this.isInPayload = true;
    if (this.left === 0) this.finish();
    return size;
  }

  private walkPayload(chunk: Buffer, at: number, end: number): number {
    const step = Math.min(this.left, end - at);
    if (this.stampFromEnd > 0 && this.length >= this.stampFromEnd)
      this.stamp.look(chunk, at, step, this.left - this.stampFromEnd);
    this.left -= step;
    if (this.left === 0) this.finish();
    return at + step;
  }

  private finish(): void {
    this.isInPayload = false;
    this.sink.onFrame(this.opcode, this.length, this.stamp.value);
  }
}

/** By the second byte, which also tells a mask; a server must not use one. */
const headerLength = (second: number): 2 | 4 | 10 => {
  if (second > 127) throw new Error('The server sent a masked frame');
  if (second < 126) return 2;
  return second === 126 ? 4 : 10;
};

const readUInt64 = (bytes: Buffer, at: number): number =>
  bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);

/** What a customer's message carries. */
export const dataBytes = 128;

const data = Buffer.alloc(dataBytes, 0x2e).fill(0, 0, 8);

/** The stamp is the first thing in the data, and the data is the last thing in a frame, on its way in and out. */
export const stampFromEnd = dataBytes;

/**
 * The frame that publishes one message: MessagePack, QoS 1 because none is given, no `msgRef`, so no answer. The
 * relays get the same bytes and hand them on as they are; Roomwire's `message` frame has the same length.
 */
export const publishFrame = (topic: string, filter?: string): Buffer =>
  clientFrame(encode({ type: 'publish', topic, ...(filter !== undefined && { filters: [filter] }), data }));

/** One that asks for an answer; all of them for the same, so that answers can be told by their length alone. */
export const acknowledgedFrame = (topic: string): Buffer =>
  clientFrame(encode({ type: 'publish', topic, msgRef: '1', data }));

/** A copy that carries the moment at which it was meant to be sent. */
export const stamped = (frame: Buffer, moment: number): Buffer => {
  const copy = Buffer.from(frame);
  copy.writeDoubleLE(moment, copy.length - stampFromEnd);
  return copy;
};

/** One frame after the other, each with its stamp. */
export const stampedSequence = (frame: Buffer, stamps: readonly number[]): Buffer => {
  const { length } = frame;
  const sequence = Buffer.allocUnsafeSlow(length * stamps.length);
  for (const [index, stamp] of stamps.entries()) {
    frame.copy(sequence, index * length);
    sequence.writeDoubleLE(stamp, (index + 1) * length - stampFromEnd);
  }
  return sequence;
};
