import type { Buffer } from 'node:buffer';
import type { Lane } from '../hop/line.js';
import type { Connection, Receiver } from './connection.js';
import { FrameWalker, type FrameSink } from './frameWalker.js';
import { acknowledgedFrame, stampedSequence } from './message.js';

/** One publishing connection, which is answered every message. */
export class HopPublisher implements Lane, Receiver, FrameSink {
  sent = 0;
  acknowledged = 0;
  /** Frames that are no answers: refusals. There must be none. */
  unexpected = 0;
  readonly #connection: Connection;
  readonly #frame: Buffer;
  readonly #onProgress: () => void;
  readonly #walker = new FrameWalker(this);
  /** Of an answer; the first one tells. */
  #answerLength = 0;

  constructor(connection: Connection, topic: string, onProgress: () => void) {
    this.#connection = connection;
    this.#frame = acknowledgedFrame(topic);
    this.#onProgress = onProgress;
    connection.receiver = this;
  }

  send(stamps: readonly number[]): void {
    this.sent += stamps.length;
    this.#connection.write(stampedSequence(this.#frame, stamps));
  }

  receive(chunk: Buffer, end: number): void {
    this.#walker.walk(chunk, end);
    this.#onProgress();
  }

  onFrame(_opcode: number, length: number): void {
    if (this.#answerLength === 0) this.#answerLength = length;
    if (length === this.#answerLength) this.acknowledged += 1;
    else this.unexpected += 1;
  }
}
