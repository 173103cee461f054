import { Buffer } from 'node:buffer';
import { dataBytes } from '../message.js';
import type { FrameSink } from '../frameWalker.js';
import { FrameStream } from './frameStream.js';
import type { Walker } from './wire.js';

const letterM = 0x4d;
const carriageReturn = 0x0d;
const stampBytes = 8;
const lineEndBytes = 2;

/**
 * Counts `MSG` records in NATS's stream, whose bounds are not those of the frames that it comes in. All records of
 * a load are equally long, as the first one tells; each must begin with an `M`. Nothing is copied.
 */
export class NatsWalker implements Walker {
  stampFromEnd = 0;
  readonly #sink: FrameSink;
  readonly #frames = new FrameStream((chunk, from, to) => this.#take(chunk, from, to));
  readonly #splitStamp = Buffer.alloc(stampBytes);
  /** Of a record; 0 as long as no first line is complete. */
  #length = 0;
  /** Within the record. */
  #at = 0;
  #stamp = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  walk(chunk: Buffer, end: number): void {
    this.#frames.walk(chunk, end);
  }

  #take(chunk: Buffer, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.#at === 0 && chunk[at] !== letterM) throw new Error('NATS sent something besides messages');
      at = this.#length === 0 ? this.#measure(chunk, at, to) : this.#step(chunk, at, to);
    }
  }

  #measure(chunk: Buffer, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      this.#at += 1;
      if (chunk[at] !== carriageReturn) continue;
      this.#length = this.#at - 1 + lineEndBytes + dataBytes + lineEndBytes;
      return at + 1;
    }
    return to;
  }

  #step(chunk: Buffer, at: number, to: number): number {
    const step = Math.min(this.#length - this.#at, to - at);
    if (this.stampFromEnd > 0) this.#lookForStamp(chunk, at, step);
    this.#at += step;
    if (this.#at === this.#length) {
      this.#at = 0;
      this.#sink.onFrame(2, this.#length, this.#stamp);
    }
    return at + step;
  }

  #lookForStamp(chunk: Buffer, at: number, step: number): void {
    const begin = this.#length - this.stampFromEnd - this.#at;
    const end = begin + stampBytes;
    if (begin >= 0 && end <= step) {
      this.#stamp = chunk.readDoubleLE(at + begin);
    } else if (end > 0) {
      for (let index = Math.max(begin, 0); index < Math.min(end, step); index += 1)
        this.#splitStamp[index - begin] = chunk[at + index] as number;
      if (end <= step) this.#stamp = this.#splitStamp.readDoubleLE(0);
    }
  }
}
