import { Buffer } from 'node:buffer';
import { clientFrame, dataBytes, type FrameSink } from '../frames.js';
import type { Walker, Wire } from './wire.js';
import { type Conversation, openConversation } from '../connection.js';

type Take = (chunk: Buffer, from: number, to: number) => void;

/** Takes the headers of a server's frames out of its bytes; what is left is given on piece by piece, in place. */
class FrameStream {
  private readonly take: Take;
  private readonly header = Buffer.alloc(10);
  private gathered = 0;
  private left = 0;

  constructor(take: Take) {
    this.take = take;
  }

  walk(chunk: Buffer, end: number): void {
    let at = 0;
    while (at < end) {
      if (this.left > 0) {
        const to = Math.min(end, at + this.left);
        this.take(chunk, at, to);
        this.left -= to - at;
        at = to;
      } else {
        this.gather(chunk[at] as number);
        at += 1;
      }
    }
  }

  private gather(byte: number): void {
    const header = this.header;
    header[this.gathered] = byte;
    this.gathered += 1;
    if (this.gathered < 2) return;
    const short = header[1] as number;
    if (this.gathered < (short < 126 ? 2 : short === 126 ? 4 : 10)) return;
    this.left = short < 126 ? short : short === 126 ? header.readUInt16BE(2) : header.readUInt32BE(6);
    this.gathered = 0;
  }
}

const letterM = 0x4d;
const carriageReturn = 0x0d;
const stampBytes = 8;
const lineEndBytes = 2;

/**
 * Counts `MSG` records in NATS's stream, whose bounds are not those of the frames that it comes in. All records of
 * a load are equally long, as the first one tells; each must begin with an `M`. Nothing is copied.
 */
export class NatsWalker implements Walker {
  stampFromEnd = 0;
  private readonly sink: FrameSink;
  private readonly frames = new FrameStream((chunk, from, to) => this.take(chunk, from, to));
  private readonly splitStamp = Buffer.alloc(stampBytes);
  /** Of a record; 0 as long as no first line is complete. */
  private length = 0;
  /** Within the record. */
  private at = 0;
  private stamp = 0;

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
    if (this.stampFromEnd > 0) this.lookForStamp(chunk, at, step);
    this.at += step;
    if (this.at === this.length) {
      this.at = 0;
      this.sink.onFrame(2, this.length, this.stamp);
    }
    return at + step;
  }

  private lookForStamp(chunk: Buffer, at: number, step: number): void {
    const begin = this.length - this.stampFromEnd - this.at;
    const end = begin + stampBytes;
    if (begin >= 0 && end <= step) {
      this.stamp = chunk.readDoubleLE(at + begin);
    } else if (end > 0) {
      for (let index = Math.max(begin, 0); index < Math.min(end, step); index += 1)
        this.splitStamp[index - begin] = chunk[at + index] as number;
      if (end <= step) this.stamp = this.splitStamp.readDoubleLE(0);
    }
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
