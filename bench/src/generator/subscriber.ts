import type { Buffer } from 'node:buffer';
import { Samples } from '../measure/samples.js';
import type { Receiver } from './connection.js';
import { FrameWalker, type FrameSink } from './frameWalker.js';
import { stampFromEnd } from './message.js';

const binary = 2;

/** What all subscribers of a load have got together. */
export class Tally {
  delivered = 0;
  /** Frames that are no deliveries: errors, closes. There must be none. */
  unexpected = 0;
  /** Of a delivery; the first one tells. */
  frameLength = 0;
  /** When the chunk in hand was read. */
  now = 0;
  /** Messages that were meant to be sent from this moment on are sampled. */
  sampleFrom = Number.POSITIVE_INFINITY;
  readonly latencies = new Samples();
}

/** One connection at the receiving end, as thin as can be. */
export class Subscriber implements Receiver, FrameSink {
  received = 0;
  /** Called when all frames of a chunk have been counted. */
  afterChunk: (() => void) | undefined;
  readonly #tally: Tally;
  readonly #walker = new FrameWalker(this);

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** Whether deliveries carry the moment of their sending. */
  sample(isSampling: boolean): void {
    this.#walker.stampFromEnd = isSampling ? stampFromEnd : 0;
  }

  receive(chunk: Buffer, end: number): void {
    if (this.#walker.stampFromEnd > 0) this.#tally.now = performance.now();
    this.#walker.walk(chunk, end);
    this.afterChunk?.();
  }

  onFrame(opcode: number, length: number, stamp: number): void {
    const tally = this.#tally;
    if (tally.frameLength === 0) tally.frameLength = length;
    if (opcode !== binary || length !== tally.frameLength) {
      tally.unexpected += 1;
      return;
    }
    this.received += 1;
    tally.delivered += 1;
    if (stamp >= tally.sampleFrom) tally.latencies.record(tally.now - stamp);
  }
}
