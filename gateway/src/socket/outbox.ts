import { Buffer } from 'node:buffer';
import { inLaterTurn } from '@roomwire/shared/runtime/workSlices';
import {
  noticedBytes,
  type HoldingOutbox,
  type OutboxMemory,
  type SlowReader,
  type WrittenBytes,
} from './outboxMemory.js';
import { takeFor } from './turns.js';
import type { FrameSocket } from './wsListener.js';

/**
 * A sequence of frames, as a node in the tree of all sequences of one tick. Sockets with the same sequence share a
 * node, so that its bytes are concatenated once for all of them, and a delivery costs a comparison and a pointer.
 */
export class FramePath implements WrittenBytes {
  /** Bytes of the whole sequence. */
  readonly size: number;
  readers = 0;
  countedFor: WrittenBytes['countedFor'];
  private readonly parent: FramePath | undefined;
  private readonly frame: Buffer | undefined;
  private lastChild: FramePath | undefined;
  private joined: Buffer | undefined;

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

  bytes(): Buffer {
    return (this.joined ??= joinedFrames(this));
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

interface Flushable {
  readonly queuedBytes: number;
  flush(): void;
}

/** A sequence of more takes the system milliseconds to take over; nearly all are far shorter. */
const largeBytes = 256 * 1024;

/** How long large sequences are written in one turn of the event loop. */
const largeMs = 2;

/**
 * Collects the frames of all sockets in one turn of the event loop and writes them at its end, once per socket. No timer is
 * involved: a message waits only for reads that are already pending. Sockets with much to write are last, and may have to wait for
 * a later turn, so that what many megabytes are sent to holds up nobody else.
 */
export class Tick {
  private root = new FramePath();
  private waiting: Flushable[] = [];
  private large: Flushable[] = [];

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
    const hasLarge = this.large.length > 0;
    for (const outbox of ending)
      if (outbox.queuedBytes > largeBytes) this.large.push(outbox);
      else outbox.flush();
    // Otherwise they have a turn already.
    if (!hasLarge && this.large.length > 0) inLaterTurn(this.flushLarge);
  };

  private readonly flushLarge = (): void => {
    this.large = takeFor(largeMs, this.large, (outbox) => outbox.flush());
    if (this.large.length > 0) inLaterTurn(this.flushLarge);
  };
}

/** The part of a socket that an outbox needs. */
export type FrameSink = Pick<FrameSocket, 'write' | 'bufferedBytes'>;

/** Beyond this, frames are written before the end of the tick. */
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
  /** Of a reader that has been behind. */
  private reader: SlowReader | undefined;
  private queued: FramePath | undefined;
  private state: 'open' | 'overflowed' | 'closed' = 'open';

  constructor(
    socket: FrameSink,
    tick: Tick,
    budget: number,
    onOverflow: () => void,
    memory: Pick<OutboxMemory, 'reader'>,
  ) {
    this.socket = socket;
    this.tick = tick;
    this.budget = budget;
    this.onOverflow = onOverflow;
    this.memory = memory;
  }

  /** Bytes that the peer has not received. */
  get waitingBytes(): number {
    return this.socket.bufferedBytes + this.queuedBytes;
  }

  get queuedBytes(): number {
    return this.queued?.size ?? 0;
  }

  get unreadBytes(): number {
    return this.socket.bufferedBytes;
  }

  /** Whether pushed frames are sent. */
  get isOpen(): boolean {
    return this.state === 'open';
  }

  push(frame: Buffer): void {
    if (this.state !== 'open') return;
    const queued = (this.queued ?? this.tick.enlist(this)).then(frame);
    this.queued = queued;
    if (queued.size > batchBytes) this.write();
  }

  /** Called by the tick, and before a close. */
  flush(): void {
    this.write();
    if (this.state !== 'overflowed') return;
    this.state = 'closed';
    this.onOverflow();
  }

  /** Writes the queued frames and accepts no more. */
  close(): void {
    this.write();
    this.state = 'closed';
    this.reader?.ended();
  }

  giveWay(): void {
    this.state = 'closed';
    this.onOverflow();
  }

  private write(): void {
    const { queued } = this;
    if (queued === undefined) return;
    this.queued = undefined;
    const waiting = this.socket.bufferedBytes + queued.size;
    if (waiting > this.budget) {
      this.state = 'overflowed';
      return;
    }
    if (waiting > noticedBytes) (this.reader ??= this.memory.reader(this)).waitsFor(queued, waiting);
    this.socket.write(queued.bytes());
  }
}
