import { Buffer } from 'node:buffer';
import { decode } from '@msgpack/msgpack';
import { FrameWalker } from './frameWalker.js';
import type { Receiver } from './connection.js';

/** Decodes the frames of a conversation: for the few before the load, and for refusals. Copies, unlike the walker. */
export class FrameReader implements Receiver {
  readonly #walker = new FrameWalker({ onFrame: (opcode, length) => this.#take(opcode, length) });
  readonly #onFrame: (frame: unknown) => void;
  readonly #decode: (payload: Uint8Array) => unknown;
  #bytes = Buffer.alloc(0);
  #ends: { readonly opcode: number; readonly length: number }[] = [];

  constructor(onFrame: (frame: unknown) => void, decodeBinary: (payload: Uint8Array) => unknown = decode) {
    this.#onFrame = onFrame;
    this.#decode = decodeBinary;
  }

  receive(chunk: Buffer, end: number): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk.subarray(0, end)]);
    this.#walker.walk(chunk, end);
    const complete = this.#ends;
    this.#ends = [];
    for (const { opcode, length } of complete) this.#onFrame(this.#cut(opcode, length));
  }

  #take(opcode: number, length: number): void {
    this.#ends.push({ opcode, length });
  }

  #cut(opcode: number, length: number): unknown {
    const headerLength = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    const payload = this.#bytes.subarray(headerLength, headerLength + length);
    this.#bytes = this.#bytes.subarray(headerLength + length);
    return opcode === 2 ? this.#decode(payload) : { opcode, text: payload.toString() };
  }
}
