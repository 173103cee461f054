import type { Buffer } from 'node:buffer';
import { muchBytes, type FramePath } from './framePath.js';
import { noticedBytes, type HoldingOutbox, type OutboxMemory, type SlowReader } from './outboxMemory.js';
import type { Tick } from './tick.js';
import type { FrameSocket } from './wsListener.js';

/** The part of a socket that an outbox needs. */
export type FrameSink = Pick<FrameSocket, 'write' | 'bufferedBytes'>;

/** Beyond this, frames are counted before the end of the tick: a reader may be too slow for them. */
const batchBytes = 1024 * 1024;

/**
 * The send queue of one connection. Never waits for a reader: when more than the budget is in flight, the reader is
 * reported as too slow, once and not within `push`, and gets nothing more.
 */
export class Outbox implements HoldingOutbox {
  // What each delivery looks at stands together, and so in one line of the processor's cache.
  private state: 'open' | 'overflowed' | 'closed' = 'open';
  private isPatient = false;
  private queued: FramePath | undefined;
  private readonly tick: Tick;
  private readonly socket: FrameSink;
  private restBytes = 0;
  private readonly budget: number;
  private behind: number | undefined;
  /** What is written after the tick, because it is much. */
  private rest: Buffer[] = [];
  /** Set when the connection authenticates. */
  projectId = '';
  private readonly onOverflow: () => void;
  private readonly memory: Pick<OutboxMemory, 'reader'>;
  private readonly now: () => number;
  private forgottenBytes = 0;
  /** Of a reader that has been behind. */
  private reader: SlowReader | undefined;

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

  /** Whether all that is queued may wait for a later turn. */
  get mayWait(): boolean {
    return this.isPatient;
  }

  push(frame: Buffer): void {
    // Short enough to be compiled into the loop over the subscribers. Where something is queued, it is open.
    if (this.queued === undefined || this.isPatient) return this.pushFirst(frame);
    this.queued = this.queued.then(frame);
    if (this.queued.size > batchBytes) this.keep(this.counted());
  }

  pushLater(frame: Buffer): void {
    if (this.state !== 'open') return;
    this.append(frame, this.queued ?? this.wait());
  }

  keepsMuch(): boolean {
    this.isPatient = false;
    if (this.restBytes + (this.queued?.size ?? 0) <= muchBytes) return false;
    this.keep(this.counted());
    return this.restBytes > 0;
  }

  flush(): boolean {
    const path = this.counted();
    if (this.state === 'overflowed') this.giveWay();
    else if (this.restBytes === 0 && path !== undefined && path.size <= muchBytes) this.write(path.pieces());
    else {
      this.keep(path);
      this.writeRest(muchBytes);
    }
    return this.restBytes === 0;
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

  /** Of this tick: what may have waited is written at its end as well, in front of what comes. */
  private pushFirst(frame: Buffer): void {
    if (this.state !== 'open') return;
    this.isPatient = false;
    const begun = this.tick.enlist(this);
    this.append(frame, this.queued ?? begun);
  }

  private append(frame: Buffer, queued: FramePath): void {
    this.queued = queued.then(frame);
    if (this.queued.size > batchBytes) this.keep(this.counted());
  }

  private wait(): FramePath {
    this.isPatient = true;
    return this.tick.enlistLater(this);
  }

  /** What was queued, if there is something and the reader is not too slow for it. */
  private counted(): FramePath | undefined {
    const { queued } = this;
    if (queued === undefined) return undefined;
    this.queued = undefined;
    let waiting = this.unreadBytes + queued.size;
    if (waiting > this.budget) {
      // A reader is not slow for what it has not been sent.
      this.writeRest(waiting - this.budget);
      waiting = this.unreadBytes + queued.size;
    }
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
