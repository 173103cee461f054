import type { Buffer } from 'node:buffer';
import type { Arrivals } from '../hop/arrivals.js';
import type { Receiver } from './connection.js';
import { FrameWalker, type FrameSink } from './frameWalker.js';
import { stampFromEnd } from './message.js';

/** The connection at the far end. */
export class HopSubscriber implements Receiver, FrameSink {
  /** Frames that are no messages. There must be none. */
  unexpected = 0;
  readonly #arrivals: Arrivals;
  readonly #onProgress: () => void;
  readonly #walker = new FrameWalker(this);
  /** When the chunk in hand was read. */
  #now = 0;

  constructor(arrivals: Arrivals, onProgress: () => void) {
    this.#arrivals = arrivals;
    this.#onProgress = onProgress;
    this.#walker.stampFromEnd = stampFromEnd;
  }

  receive(chunk: Buffer, end: number): void {
    this.#now = performance.now();
    this.#walker.walk(chunk, end);
    this.#onProgress();
  }

  onFrame(_opcode: number, length: number, stamp: number): void {
    if (length < stampFromEnd) this.unexpected += 1;
    else this.#arrivals.take(stamp, this.#now);
  }
}
