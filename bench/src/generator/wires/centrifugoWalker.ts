import type { Buffer } from 'node:buffer';
import type { FrameSink } from '../frames.js';
import { StampReader } from '../stampReader.js';
import { FrameStream } from './frameStream.js';
import type { Walker } from './wire.js';

/** What every publish is answered with. */
export const publishAnswer = '{"id":3,"publish":{}}';

const lineFeed = 0x0a;
/** Of the letter that tells `{"push"` from `{"id"`. */
const kindAt = 2;
const letterOf = { pushes: 0x70, answers: 0x69 };

/**
 * Counts the messages in Centrifugo's JSON, or the answers to publishes: lines, of which a frame has one or several. All
 * messages of a load are equally long, as the first one tells. Nothing is copied.
 */
export class CentrifugoWalker implements Walker {
  stampFromEnd = 0;
  private readonly sink: FrameSink;
  private readonly counted: keyof typeof letterOf;
  private readonly frames = new FrameStream(
    (chunk, from, to) => this.take(chunk, from, to),
    () => this.endFrame(),
  );
  private readonly stamp = new StampReader();
  /** Of a message; 0 as long as the first one is not complete. */
  private pushLength = 0;
  private isPush = false;
  /** Within the line. */
  private at = 0;

  constructor(sink: FrameSink, counted: keyof typeof letterOf = 'pushes') {
    this.sink = sink;
    this.counted = counted;
  }

  walk(chunk: Buffer, end: number): void {
    this.frames.walk(chunk, end);
  }

  private get length(): number {
    return this.isPush ? this.pushLength : publishAnswer.length;
  }

  private take(chunk: Buffer, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.at <= kindAt) at = this.begin(chunk, at);
      else if (this.length === 0) at = this.measure(chunk, at, to);
      else if (this.at < this.length) at = this.step(chunk, at, to);
      else at = this.endLine(chunk, at);
    }
  }

  private begin(chunk: Buffer, at: number): number {
    const letter = chunk[at];
    if (this.at === kindAt) {
      if (letter !== letterOf.pushes && letter !== letterOf.answers) throw new Error(unknownLine);
      this.isPush = letter === letterOf.pushes;
    }
    this.at += 1;
    return at + 1;
  }

  private measure(chunk: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to && chunk[at] !== lineFeed) at += 1;
    this.at += at - from;
    if (at < to) this.learn();
    return at;
  }

  private learn(): void {
    this.pushLength = this.at;
    this.count();
  }

  private step(chunk: Buffer, at: number, to: number): number {
    const step = Math.min(this.length - this.at, to - at);
    if (this.stampFromEnd > 0) this.stamp.look(chunk, at, step, this.length - this.stampFromEnd - this.at);
    this.at += step;
    if (this.at === this.length) this.count();
    return at + step;
  }

  private endLine(chunk: Buffer, at: number): number {
    if (chunk[at] !== lineFeed) throw new Error(unknownLine);
    this.at = 0;
    return at + 1;
  }

  private endFrame(): void {
    if (this.at > kindAt && this.length === 0) this.learn();
    if (this.at <= kindAt || this.at !== this.length) throw new Error(unknownLine);
    this.at = 0;
  }

  private count(): void {
    if (this.isPush === (this.counted === 'pushes')) this.sink.onFrame(1, this.length, this.stamp.value);
  }
}

const unknownLine = 'Centrifugo sent something besides messages and answers';
