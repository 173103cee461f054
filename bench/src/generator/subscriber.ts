import type { Buffer } from 'node:buffer';
import { Samples } from '../measure/samples.js';
import type { Receiver } from './connection.js';
import type { FrameSink } from './frames.js';
import type { Layout, Walker } from './wires/wire.js';

/** What all subscribers of a load have got together. */
export class Tally {
  delivered = 0;
  /** Frames that are no deliveries: errors, closes. There must be none. */
  unexpected = 0;
  /** Of a delivery; the first one tells. */
  frameLength = 0;
  /** When the current chunk was read. */
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
  private readonly tally: Tally;
  private readonly layout: Layout;
  private readonly walker: Walker;

  constructor(tally: Tally, layout: Layout) {
    this.tally = tally;
    this.layout = layout;
    this.walker = layout.walker(this);
  }

  /** Whether deliveries carry the moment of their sending. */
  sample(isSampling: boolean): void {
    this.walker.stampFromEnd = isSampling ? this.layout.stampFromEnd : 0;
  }

  receive(chunk: Buffer, end: number): void {
    if (this.walker.stampFromEnd > 0) this.tally.now = performance.now();
    this.walker.walk(chunk, end);
    this.afterChunk?.();
  }

  onFrame(opcode: number, length: number, raw: number): void {
    const tally = this.tally;
    if (tally.frameLength === 0) tally.frameLength = length;
    if (opcode !== this.layout.opcode || length !== tally.frameLength) {
      tally.unexpected += 1;
      return;
    }
    this.received += 1;
    tally.delivered += 1;
    if (this.walker.stampFromEnd === 0) return;
    const stamp = this.layout.momentOf(raw);
    if (stamp >= tally.sampleFrom) tally.latencies.record(tally.now - stamp);
  }
}
