import type { Buffer } from 'node:buffer';
import type { FramePath } from './framePath.js';
import type { FrameSocket } from './frameSocket.js';
import type { Tick } from './tick.js';

/** The part of a socket that an outbox needs. */
export type FrameSink = Pick<FrameSocket, 'write' | 'bufferedBytes'>;

/** More than this does not wait for the end of the tick. */
const batchBytes = 1024 * 1024;

/**
 * What one connection is about to send. Nobody waits for a reader: when more than the budget is under way to it, it
 * is reported as too slow, once and not within `push`, and gets nothing more.
 */
export class Outbox {
  private readonly socket: FrameSink;
  private readonly tick: Tick;
  private readonly budget: number;
  private readonly onOverflow: () => void;
  private queued: FramePath | undefined;
  private state: 'open' | 'overflowed' | 'closed' = 'open';

  constructor(socket: FrameSink, tick: Tick, budget: number, onOverflow: () => void) {
    this.socket = socket;
    this.tick = tick;
    this.budget = budget;
    this.onOverflow = onOverflow;
  }

  /** What has not gone to the peer. */
  get waitingBytes(): number {
    return this.socket.bufferedBytes + (this.queued?.size ?? 0);
  }

  /** Whether what is pushed goes to the peer. */
  get isOpen(): boolean {
    return this.state === 'open';
  }

  push(frame: Buffer): void {
    if (this.state !== 'open') return;
    const queued = (this.queued ?? this.tick.enlist(this)).then(frame);
    this.queued = queued;
    if (queued.size > batchBytes) this.leave();
  }

  /** Called by the tick, and before a close. */
  flush(): void {
    this.leave();
    if (this.state !== 'overflowed') return;
    this.state = 'closed';
    this.onOverflow();
  }

  /** Lets what is queued go and takes no more. */
  close(): void {
    this.leave();
    this.state = 'closed';
  }

  private leave(): void {
    const { queued } = this;
    if (queued === undefined) return;
    this.queued = undefined;
    if (this.socket.bufferedBytes + queued.size > this.budget) this.state = 'overflowed';
    else this.socket.write(queued.bytes());
  }
}
