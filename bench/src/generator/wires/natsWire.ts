import { Buffer } from 'node:buffer';
import { clientFrame, dataBytes, type FrameSink } from '../frames.js';
import { StampReader } from '../stampReader.js';
import { FrameStream } from './frameStream.js';
import type { Walker, Wire } from './wire.js';
import { type Conversation, openConversation } from '../connection.js';

const letterM = 0x4d;
const carriageReturn = 0x0d;
const lineEndBytes = 2;

/**
 * Counts `MSG` records in NATS's stream, whose bounds are not those of the frames that it comes in. All records of
 * a load are equally long, as the first one tells; each must begin with an `M`. Nothing is copied.
 */
export class NatsWalker implements Walker {
  stampFromEnd = 0;
  private readonly sink: FrameSink;
  private readonly frames = new FrameStream((chunk, from, to) => this.take(chunk, from, to));
  private readonly stamp = new StampReader();
  /** Of a record; 0 as long as no first line is complete. */
  private length = 0;
  /** Within the record. */
  private at = 0;

  constructor(sink: FrameSink) {
    this.sink = sink;
  }

  walk(chunk: Buffer, end: number): void {
    this.frames.walk(chunk, end);
  }

  private take(chunk: Buffer, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.at === 0 && chunk[at] !== letterM) throw new Error('NATS sent something besides messages');
      at = this.length === 0 ? this.measure(chunk, at, to) : this.step(chunk, at, to);
    }
  }

  private measure(chunk: Buffer, from: number, to: number): number {
    for (let at = from; at < to; at += 1) {
      this.at += 1;
      if (chunk[at] !== carriageReturn) continue;
      this.length = this.at - 1 + lineEndBytes + dataBytes + lineEndBytes;
      return at + 1;
    }
    return to;
  }

  private step(chunk: Buffer, at: number, to: number): number {
    const step = Math.min(this.length - this.at, to - at);
    if (this.stampFromEnd > 0) this.stamp.look(chunk, at, step, this.length - this.stampFromEnd - this.at);
    this.at += step;
    if (this.at === this.length) {
      this.at = 0;
      this.sink.onFrame(2, this.length, this.stamp.value);
    }
    return at + step;
  }
}

const lineEnd = '\r\n';
const stampFromEnd = dataBytes + lineEnd.length;
const data = Buffer.alloc(dataBytes, 0x2e);

/** The lines of NATS's own protocol, in the frames of its WebSocket listener. */
export const natsWire: Wire = {
  layout: {
    opcode: 2,
    stampFromEnd,
    momentOf: (raw) => raw,
    walker: (sink) => new NatsWalker(sink),
  },
  async subscriber({ port, topic, group }) {
    const queue = group === undefined ? '' : `${group} `;
    const { connection } = await connected(port, `SUB ${topic} ${queue}1${lineEnd}`);
    return connection;
  },
  publisher: async (port) => (await connected(port, '')).connection,
  publishFrame: (topic) =>
    clientFrame(
      Buffer.concat([Buffer.from(`PUB ${topic} ${dataBytes}${lineEnd}`), data, Buffer.from(lineEnd)]),
    ),
  stamped(frame, moment) {
    const copy = Buffer.from(frame);
    copy.writeDoubleLE(moment, copy.length - stampFromEnd);
    return copy;
  },
};

const connect = { verbose: false, pedantic: false, echo: false, lang: 'bench', version: '1' };

/** The answer to the ping says that all before it is in force. */
const connected = async (port: number, lines: string): Promise<Conversation> => {
  const conversation = await openConversation(port, '/', (payload) => payload);
  await conversation.answer(startsWith('INFO'));
  const text = `CONNECT ${JSON.stringify(connect)}${lineEnd}${lines}PING${lineEnd}`;
  await conversation.ask(clientFrame(Buffer.from(text)), startsWith('PONG'));
  return conversation;
};

const startsWith =
  (prefix: string) =>
  (frame: unknown): boolean =>
    frame instanceof Uint8Array && Buffer.from(frame).toString('latin1').startsWith(prefix);
