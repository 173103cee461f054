import { Buffer } from 'node:buffer';

export interface FrameSink {
  /** A frame is complete. `stamp` is the number found in it, 0 when none was looked for or it has none. */
  onFrame(opcode: number, length: number, stamp: number): void;
}

const longestHeader = 10;
const stampBytes = 8;

/**
 * Finds the frames in what a server sends by their headers alone: payloads are stepped over, nothing is copied and
 * nothing is allocated, so that the generator can take more than any server gives. Chunks may end anywhere.
 */
export class FrameWalker {
  /** Where in a payload the stamp begins, in bytes before its end (a little-endian double); 0 looks for none. */
  stampFromEnd = 0;
  readonly #sink: FrameSink;
  readonly #header = Buffer.alloc(longestHeader);
  readonly #splitStamp = Buffer.alloc(stampBytes);
  #gathered = 0;
  #isInPayload = false;
  #opcode = 0;
  #length = 0;
  #left = 0;
  #stamp = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** The first `end` bytes of the chunk. */
  walk(chunk: Buffer, end: number): void {
    let at = 0;
    while (at < end) {
      at = this.#isInPayload ? this.#walkPayload(chunk, at, end) : this.#walkHeader(chunk, at, end);
    }
  }

  #walkHeader(chunk: Buffer, from: number, end: number): number {
    if (this.#gathered === 0 && end - from >= longestHeader) return from + this.#takeHeader(chunk, from);
    let at = from;
    while (at < end) {
      this.#header[this.#gathered] = chunk[at] as number;
      this.#gathered += 1;
      at += 1;
      if (this.#gathered >= 2 && this.#gathered === headerLength(this.#header[1] as number)) {
        this.#gathered = 0;
        this.#takeHeader(this.#header, 0);
        return at;
      }
    }
    return at;
  }

  #takeHeader(bytes: Buffer, at: number): number {
    const second = bytes[at + 1] as number;
    const size = headerLength(second);
    this.#opcode = (bytes[at] as number) & 0x0f;
    this.#length = size === 2 ? second : size === 4 ? bytes.readUInt16BE(at + 2) : readUInt64(bytes, at + 2);
    this.#left = this.#length;
    this.#stamp = 0;
    this.#isInPayload = true;
    if (this.#left === 0) this.#finish();
    return size;
  }

  #walkPayload(chunk: Buffer, at: number, end: number): number {
    const step = Math.min(this.#left, end - at);
    if (this.stampFromEnd > 0 && this.#length >= this.stampFromEnd) this.#lookForStamp(chunk, at, step);
    this.#left -= step;
    if (this.#left === 0) this.#finish();
    return at + step;
  }

  #lookForStamp(chunk: Buffer, at: number, step: number): void {
    const begin = this.#left - this.stampFromEnd;
    const end = begin + stampBytes;
    if (begin >= 0 && end <= step) {
      this.#stamp = chunk.readDoubleLE(at + begin);
    } else if (end > 0) {
      for (let index = Math.max(begin, 0); index < Math.min(end, step); index += 1)
        this.#splitStamp[index - begin] = chunk[at + index] as number;
      if (end <= step) this.#stamp = this.#splitStamp.readDoubleLE(0);
    }
  }

  #finish(): void {
    this.#isInPayload = false;
    this.#sink.onFrame(this.#opcode, this.#length, this.#stamp);
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
