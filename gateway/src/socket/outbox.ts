import { Buffer } from 'node:buffer';
import {
  noticedBytes,
  type HoldingOutbox,
  type OutboxMemory,
  type SlowReader,
  type WrittenBytes,
} from './outboxMemory.js';
import { LaterCalls } from './turns.js';
import type { FrameSocket } from './wsListener.js';

/** More takes the system milliseconds to take over; nearly all sequences are far shorter. */
const muchBytes = 256 * 1024;

/** Of much, frames of more bytes are written as they are: they cost more to copy than to write apart. */
const copiedBytes = 64 * 1024;

/**
 * A sequence of frames, as a node in the tree of all sequences of one tick. Sockets with the same sequence share a
 * node, so that its small frames are concatenated once for all of them, and a delivery costs a comparison and a pointer.
 */
export class FramePath implements WrittenBytes {
  /** Bytes of the whole sequence. */
  readonly size: number;
  readers = 0;
  countedFor: WrittenBytes['countedFor'];
  private readonly parent: FramePath | undefined;
  private readonly frame: Buffer | undefined;
  private lastChild: FramePath | undefined;
  private joined: readonly Buffer[] | undefined;

  constructor(parent?: FramePath, frame?: Buffer) {
    this.parent = parent;
    this.frame = frame;
    this.size = (parent?.size ?? 0) + (frame?.length ?? 0);
  }

  /** The sequence with one more frame. A frame is pushed to all its sockets in one loop: comparing the last child is enough. */
  then(frame: Buffer): FramePath {
    if (this.lastChild?.frame === frame) return this.lastChild;
    this.lastChild = new FramePath(this, frame);
    return this.lastChild;
  }

  /** The bytes of the sequence: one buffer, unless there is much. */
  pieces(): readonly Buffer[] {
    return (this.joined ??= this.size > muchBytes ? piecesOf(this) : [joinedFrames(this)]);
  }

  /** Undefined for the empty sequence. */
  get last(): Buffer | undefined {
    return this.frame;
  }

  /** The sequence without its last frame. */
  get before(): FramePath | undefined {
    return this.parent;
  }
}

const joinedFrames = (path: FramePath): Buffer => {
  if (path.last?.length === path.size) return path.last;
  const joined = Buffer.allocUnsafeSlow(path.size);
  let end = path.size;
  for (let at: FramePath | undefined = path; at?.last !== undefined; at = at.before) {
    end -= at.last.length;
    joined.set(at.last, end);
  }
  return joined;
};

/** Of a long sequence: its large frames, and what is between them. */
const piecesOf = (path: FramePath): readonly Buffer[] => {
  const frames: Buffer[] = [];
  for (let at: FramePath | undefined = path; at?.last !== undefined; at = at.before) frames.push(at.last);
  const pieces: Buffer[] = [];
  let small: Buffer[] = [];
  let smallBytes = 0;
  const endSmall = (): void => {
    if (small.length > 0) pieces.push(Buffer.concat(small));
    [small, smallBytes] = [[], 0];
  };
  for (const frame of frames.reverse()) {
    if (frame.length > copiedBytes || smallBytes + frame.length > muchBytes) endSmall();
    if (frame.length > copiedBytes) {
      pieces.push(frame);
    } else {
      small.push(frame);
      smallBytes += frame.length;
    }
  }
  endSmall();
  return pieces;
};

interface Flushable {
  /** Whether it has more than is written in one go, which counts as something that waits from now on. */
  keepsMuch(): boolean;
  /** Writes what there is, of much a part. Returns whether nothing is left. */
  flush(): boolean;
}

/** How long those with much are written to, one part after the other, in one turn of the event loop. */
const muchMs = 2;

/**
 * Collects the frames of all sockets in one turn of the event loop and writes them at its end, once per socket. No timer is
 * involved: a message waits only for reads that are already pending. To sockets that are to get much it is written in parts, in later
 * turns, so that megabytes hold up nobody else.
 */
export class Tick {
  private root = new FramePath();
  private waiting: Flushable[] = [];
  private readonly withMuch = new Set<Flushable>();
  private readonly parts = new LaterCalls(muchMs);

  /** Flushes the outbox at the end of this tick. Returns the empty sequence. */
  enlist(outbox: Flushable): FramePath {
    if (this.waiting.length === 0) setImmediate(this.end);
    this.waiting.push(outbox);
    return this.root;
  }

  private readonly end = (): void => {
    const ending = this.waiting;
    this.waiting = [];
    this.root = new FramePath();
    for (const outbox of ending)
      if (outbox.keepsMuch()) this.writeInParts(outbox);
      else outbox.flush();
  };

  private writeInParts(outbox: Flushable): void {
    if (this.withMuch.has(outbox)) return;
    this.withMuch.add(outbox);
    const writePart = (): void => {
      if (outbox.flush()) this.withMuch.delete(outbox);
      else this.parts.add(writePart);
    };
    this.parts.add(writePart);
  }
}

/** The part of a socket that an outbox needs. */
export type FrameSink = Pick<FrameSocket, 'write' | 'bufferedBytes'>;

/** Beyond this, frames are counted before the end of the tick: a reader may be too slow for them. */
const batchBytes = 1024 * 1024;

/**
 * The send queue of one connection. Never waits for a reader: when more than the budget is in flight, the reader is
 * reported as too slow, once and not within `push`, and gets nothing more.
 */
export class Outbox implements HoldingOutbox {
  /** Set when the connection authenticates. */
  projectId = '';
  private readonly socket: FrameSink;
  private readonly tick: Tick;
  private readonly budget: number;
  private readonly onOverflow: () => void;
  private readonly memory: Pick<OutboxMemory, 'reader'>;
  private readonly now: () => number;
  private behind: number | undefined;
  private forgottenBytes = 0;
  /** Of a reader that has been behind. */
  private reader: SlowReader | undefined;
  private queued: FramePath | undefined;
  /** What is written after the tick, because it is much. */
  private rest: Buffer[] = [];
  private restBytes = 0;
  private state: 'open' | 'overflowed' | 'closed' = 'open';

  constructor(
    socket: FrameSink,
    tick: Tick,
    budget: number,
    onOverflow: () => void,
    memory: Pick<OutboxMemory, 'reader'>,
    now: () => number,
  ) {
    this.socket = socket;
    this.tick = tick;
    this.budget = budget;
    this.onOverflow = onOverflow;
    this.memory = memory;
    this.now = now;
  }

  /** Bytes that the peer has not received. */
  get waitingBytes(): number {
    return this.unreadBytes + (this.queued?.size ?? 0);
  }

  get unreadBytes(): number {
    return this.socket.bufferedBytes + this.restBytes;
  }

  /** Since when more waits than is worth counting; undefined where there is less. */
  get behindSince(): number | undefined {
    return this.behind;
  }

  /** What was pushed and not written, because the reader was too slow for it. */
  get lostBytes(): number {
    return this.forgottenBytes;
  }

  /** Whether pushed frames are sent. */
  get isOpen(): boolean {
    return this.state === 'open';
  }

  push(frame: Buffer): void {
    if (this.state !== 'open') return;
    const queued = (this.queued ?? this.tick.enlist(this)).then(frame);
    this.queued = queued;
    if (queued.size > batchBytes) this.keep(this.counted());
  }

  keepsMuch(): boolean {
    if (this.restBytes + (this.queued?.size ?? 0) <= muchBytes) return false;
    this.keep(this.counted());
    return this.restBytes > 0;
  }

  flush(): boolean {
    const path = this.counted();
    if (this.state === 'overflowed') this.giveWay();
    else if (this.rest.length === 0 && path !== undefined && path.size <= muchBytes)
      this.write(path.pieces());
    else {
      this.keep(path);
      this.writeRest(muchBytes);
    }
    return this.rest.length === 0;
  }

  /** Writes the queued frames and accepts no more. */
  close(): void {
    this.keep(this.counted());
    this.writeRest(Infinity);
    this.state = 'closed';
    this.reader?.ended();
  }

  giveWay(): void {
    this.state = 'closed';
    this.forget();
    this.onOverflow();
  }

  /** What was queued, if there is something and the reader is not too slow for it. */
  private counted(): FramePath | undefined {
    const { queued } = this;
    if (queued === undefined) return undefined;
    this.queued = undefined;
    // A reader is not slow for what it has not been sent.
    const excess = this.unreadBytes + queued.size - this.budget;
    if (excess > 0) this.writeRest(excess);
    const waiting = this.unreadBytes + queued.size;
    if (waiting > noticedBytes) this.behind ??= this.now();
    else if (this.behind !== undefined) this.behind = undefined;
    if (waiting > this.budget) {
      this.state = 'overflowed';
      this.forgottenBytes += queued.size;
      this.forget();
      return undefined;
    }
    if (waiting > noticedBytes) (this.reader ??= this.memory.reader(this)).waitsFor(queued, waiting);
    return queued;
  }

  private write(pieces: readonly Buffer[]): void {
    for (const piece of pieces) this.socket.write(piece);
  }

  /** So many bytes of it, to the end of a piece. */
  private writeRest(bytes: number): void {
    let [pieces, written] = [0, 0];
    while (pieces < this.rest.length && written < bytes) written += this.rest[pieces++]?.length ?? 0;
    this.write(this.rest.splice(0, pieces));
    this.restBytes -= written;
  }

  private keep(path: FramePath | undefined): void {
    if (path === undefined) return;
    this.rest.push(...path.pieces());
    this.restBytes += path.size;
  }

  private forget(): void {
    this.forgottenBytes += this.restBytes + (this.queued?.size ?? 0);
    this.queued = undefined;
    this.rest = [];
    this.restBytes = 0;
  }
}
