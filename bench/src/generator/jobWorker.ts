import { Buffer } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { acknowledgementOf } from './acknowledgement.js';
import { type Connection, FrameReader, type Receiver } from './connection.js';
import { clientFrame } from './frames.js';

export interface JobOptions {
  readonly prefetch: number;
  readonly ackSeconds: number;
  readonly maxDeliveries: number;
}

interface Membership {
  readonly topic: string;
  readonly group: string;
  readonly jobs: JobOptions;
  /** Whether each job is acknowledged, in a frame of its own; otherwise it is kept until its time is over. */
  readonly acks: boolean;
}

/** A member of a group with jobs. Those of a chunk are acknowledged in one write. */
export class JobWorker implements Receiver {
  received = 0;
  readonly joined: Promise<void>;
  private readonly connection: Connection;
  private readonly acks: boolean;
  private readonly reader = new FrameReader(
    (payload) => this.take(payload as Uint8Array),
    (payload) => payload,
  );
  private hasJoined: () => void = () => undefined;
  private isRefused: (error: Error) => void = () => undefined;
  private isMember = false;
  private waiting: Buffer[] = [];
  /** Called when all of a chunk has been read. */
  afterChunk: (() => void) | undefined;

  constructor(connection: Connection, { topic, group, jobs, acks }: Membership) {
    this.connection = connection;
    this.acks = acks;
    this.joined = new Promise((resolve, reject) => ([this.hasJoined, this.isRefused] = [resolve, reject]));
    // Jobs may come in the same chunk as the answer.
    connection.receiver = this;
    const frame = { type: 'subscribe', topic, loadBalance: true, loadBalanceGroup: group, jobs };
    connection.write(clientFrame(encode(frame)));
  }

  receive(chunk: Buffer, end: number): void {
    this.reader.receive(chunk, end);
    if (this.waiting.length > 0) this.connection.write(Buffer.concat(this.waiting));
    this.waiting = [];
    this.afterChunk?.();
  }

  private take(payload: Uint8Array): void {
    if (!this.isMember) {
      this.isMember = true;
      const answer = decode(payload) as { readonly type?: unknown };
      if (answer.type === 'subscribed') this.hasJoined();
      else this.isRefused(new Error(`A server refused a worker: ${JSON.stringify(answer)}`));
      return;
    }
    this.received += 1;
    if (this.acks) this.waiting.push(acknowledgementOf(payload));
  }
}
