import { Buffer } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { clientFrame } from './clientFrame.js';
import type { Connection, Receiver } from './connection.js';
import { FrameReader } from './frameReader.js';
import type { FrameSink } from './frameWalker.js';
import type { Layout } from './wires/wire.js';

/** One of those that share the messages of a topic. */
export interface Worker extends Receiver {
  readonly received: number;
}

/** Counts what it gets, and says nothing. */
export class CountingWorker implements Worker, FrameSink {
  received = 0;
  readonly #walk: (chunk: Buffer, end: number) => void;
  readonly #afterChunk: () => void;

  constructor(layout: Layout, afterChunk: () => void) {
    const walker = layout.walker(this);
    this.#walk = (chunk, end) => walker.walk(chunk, end);
    this.#afterChunk = afterChunk;
  }

  receive(chunk: Buffer, end: number): void {
    this.#walk(chunk, end);
    this.#afterChunk();
  }

  onFrame(): void {
    this.received += 1;
  }
}

/** Acknowledges each message in a frame of its own; those of a chunk leave in one write. */
export class AcknowledgingWorker implements Worker {
  received = 0;
  readonly #connection: Connection;
  readonly #reader = new FrameReader(
    (payload) => this.#take(payload as Uint8Array),
    (payload) => payload,
  );
  readonly #afterChunk: () => void;
  /** Where the id stands, from the end of a message: the same in all of a load, as the first one tells. */
  #idFromEnd = 0;
  #acks: Buffer[] = [];

  constructor(connection: Connection, afterChunk: () => void) {
    this.#connection = connection;
    this.#afterChunk = afterChunk;
  }

  receive(chunk: Buffer, end: number): void {
    this.#reader.receive(chunk, end);
    if (this.#acks.length > 0) this.#connection.write(Buffer.concat(this.#acks));
    this.#acks = [];
    this.#afterChunk();
  }

  #take(payload: Uint8Array): void {
    this.received += 1;
    if (this.#idFromEnd === 0) this.#idFromEnd = idFromEnd(payload);
    const begin = payload.length - this.#idFromEnd;
    const ack = Buffer.from(emptyAck);
    ack.set(payload.subarray(begin, begin + idLength), ack.length - idLength);
    this.#acks.push(ack);
  }
}

const idLength = 30;
const emptyAck = clientFrame(encode({ type: 'ack', msgId: '.'.repeat(idLength) }));

const idFromEnd = (payload: Uint8Array): number => {
  const { msgId } = decode(payload) as { readonly msgId?: unknown };
  if (typeof msgId !== 'string' || msgId.length !== idLength)
    throw new Error(`Not a message that is to be acknowledged: ${JSON.stringify(decode(payload))}`);
  return payload.length - Buffer.from(payload).lastIndexOf(msgId);
};
