import type { Buffer } from 'node:buffer';
import type { Samples } from '../measure/samples.js';
import type { Connection, Receiver } from './connection.js';
import { acknowledgedFrame, type FrameSink, FrameWalker } from './frames.js';

/** A connection that publishes to rooms in turn, and is answered every message. Its rooms are its own, so answers come as messages went. */
export class DurablePublisher implements Receiver, FrameSink {
  answered = 0;
  /** Frames that are no answers: refusals. There must be none. */
  unexpected = 0;
  private readonly walker = new FrameWalker(this);
  private readonly intended: number[] = [];
  private answerLength = 0;
  private readonly connection: Connection;
  private readonly frames: readonly Buffer[];
  private next = 0;
  private readonly latencies: Samples;
  /** Called with the number of answers in a chunk, when all of it has been read. */
  onAnswers: ((count: number) => void) | undefined;

  constructor(connection: Connection, topics: readonly string[], latencies: Samples) {
    this.connection = connection;
    this.frames = topics.map(acknowledgedFrame);
    this.latencies = latencies;
    connection.receiver = this;
  }

  get topics(): number {
    return this.frames.length;
  }

  get waiting(): number {
    return this.intended.length;
  }

  publish(intended: number): void {
    this.intended.push(intended);
    this.connection.write(this.frames[(this.next += 1) % this.frames.length] as Buffer);
  }

  receive(chunk: Buffer, end: number): void {
    const before = this.answered;
    this.walker.walk(chunk, end);
    this.onAnswers?.(this.answered - before);
  }

  onFrame(_opcode: number, length: number): void {
    if (this.answerLength === 0) this.answerLength = length;
    const intended = this.intended.shift();
    if (length !== this.answerLength || intended === undefined) {
      this.unexpected += 1;
      return;
    }
    this.answered += 1;
    this.latencies.record(performance.now() - intended);
  }
}
