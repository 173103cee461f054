import type { Buffer } from 'node:buffer';
import { Arrivals, type Lane, type Line } from '../hop/line.js';
import type { Connection, Receiver } from './connection.js';
import { acknowledgedFrame, type FrameSink, FrameWalker, stampedSequence, stampFromEnd } from './frames.js';
import type { HopJob } from './jobs.js';
import { admitted, subscribed } from './wires/roomwireWire.js';
import { type HopResult, measureHop } from '../hop/measureHop.js';

/** One publishing connection, which is answered every message. */
class HopPublisher implements Lane, Receiver, FrameSink {
  sent = 0;
  acknowledged = 0;
  /** Frames that are no answers: refusals. There must be none. */
  unexpected = 0;
  private readonly connection: Connection;
  private readonly frame: Buffer;
  private readonly onProgress: () => void;
  private readonly walker = new FrameWalker(this);
  /** Of an answer; the first one tells. */
  private answerLength = 0;

  constructor(connection: Connection, topic: string, onProgress: () => void) {
    this.connection = connection;
    this.frame = acknowledgedFrame(topic);
    this.onProgress = onProgress;
    connection.receiver = this;
  }

  send(stamps: readonly number[]): void {
    this.sent += stamps.length;
    this.connection.write(stampedSequence(this.frame, stamps));
  }

  receive(chunk: Buffer, end: number): void {
    this.walker.walk(chunk, end);
    this.onProgress();
  }

  onFrame(_opcode: number, length: number): void {
    if (this.answerLength === 0) this.answerLength = length;
    if (length === this.answerLength) this.acknowledged += 1;
    else this.unexpected += 1;
  }
}

/** The connection at the far end. */
class HopSubscriber implements Receiver, FrameSink {
  /** Frames that are no messages. There must be none. */
  unexpected = 0;
  private readonly arrivals: Arrivals;
  private readonly onProgress: () => void;
  private readonly walker = new FrameWalker(this);
  /** When the current chunk was read. */
  private now = 0;

  constructor(arrivals: Arrivals, onProgress: () => void) {
    this.arrivals = arrivals;
    this.onProgress = onProgress;
    this.walker.stampFromEnd = stampFromEnd;
  }

  receive(chunk: Buffer, end: number): void {
    this.now = performance.now();
    this.walker.walk(chunk, end);
    this.onProgress();
  }

  onFrame(_opcode: number, length: number, stamp: number): void {
    if (length < stampFromEnd) this.unexpected += 1;
    else this.arrivals.take(stamp, this.now);
  }
}

/** Publishing connections at one gateway, a subscriber at another. */
class GatewayLine implements Line {
  onProgress: (() => void) | undefined;
  readonly arrivals: Arrivals;
  readonly lanes: HopPublisher[] = [];
  private readonly connections: Connection[] = [];
  private readonly subscriber: HopSubscriber;
  private failure: Error | undefined;

  private constructor({ publishers }: HopJob) {
    this.arrivals = new Arrivals(publishers);
    this.subscriber = new HopSubscriber(this.arrivals, () => this.onProgress?.());
  }

  static async open(job: HopJob): Promise<GatewayLine> {
    const line = new GatewayLine(job);
    try {
      const { subscribePort, subscriberToken, publishPort, publisherToken, topic } = job;
      line.keep(await subscribed(subscribePort, subscriberToken, topic)).receiver = line.subscriber;
      for (let index = 0; index < job.publishers; index += 1) {
        const connection = line.keep(await admitted(publishPort, publisherToken));
        line.lanes.push(new HopPublisher(connection, topic, () => line.onProgress?.()));
      }
      return line;
    } catch (error) {
      line.close();
      throw error;
    }
  }

  check(): void {
    if (this.failure) throw this.failure;
    const parts = [this.subscriber, ...this.lanes];
    const unexpected = parts.find((part) => part.unexpected > 0)?.unexpected;
    if (unexpected !== undefined) throw new Error(`${unexpected} frames were neither messages nor answers`);
  }

  close(): void {
    this.failure ??= new Error('The line is closed');
    for (const connection of this.connections) connection.end();
  }

  private keep(connection: Connection): Connection {
    this.connections.push(connection);
    void connection.closed.then((error) => (this.failure ??= error));
    return connection;
  }
}

/** One round: connects to both gateways, then loads the way between them. */
export const measureGatewayHop = async (job: HopJob): Promise<HopResult> => {
  const line = await GatewayLine.open(job);
  try {
    return await measureHop(line, job);
  } finally {
    line.close();
  }
};
