import type { Buffer } from 'node:buffer';
import { Share, type Turns } from './turns.js';
import type { WaitingBytes } from './waitingBytes.js';

export interface WaitingFrame {
  readonly bytes: Buffer;
  readonly isText: boolean;
}

interface Source {
  pause(): void;
  resume(): void;
}

/** A task between two frames. It must not reject. */
export type InboxTask = () => Promise<void>;

export interface InboxDeps {
  readonly source: Source;
  readonly turns: Turns;
  readonly waitingBytes: WaitingBytes;
  /** Handles a frame; a promise, which never rejects, only where it has to wait. */
  readonly handle: (bytes: Buffer, isText: boolean) => Promise<void> | undefined;
  /** Nothing waits any more. */
  readonly onDrained: () => void;
}

/** Handles the frames of one connection sequentially, including asynchronous ones, and lets the event loop run between them. */
export class Inbox {
  private readonly deps: InboxDeps;
  private readonly share: Share;
  private waiting: (WaitingFrame | InboxTask | undefined)[] = [];
  /** The place of the first that waits. */
  private first = 0;
  private bytes = 0;
  private isBusy = false;
  private isPaused = false;

  constructor(deps: InboxDeps) {
    this.deps = deps;
    this.share = new Share(deps.turns);
  }

  accept(bytes: Buffer, isText: boolean): void {
    if (this.isBusy) return this.enqueue({ bytes, isText });
    if (!this.share.isUsedUp()) return this.run(bytes, isText);
    this.enqueue({ bytes, isText });
    this.goOnLater();
  }

  /** Runs the task after the frames already queued. */
  perform(task: InboxTask): void {
    if (this.isBusy) this.waiting.push(task);
    else this.waitFor(task());
  }

  /** Stops reading until nothing waits. Only while something does. */
  pause(): void {
    if (this.isPaused || !this.isBusy) return;
    this.isPaused = true;
    this.deps.source.pause();
  }

  /** Whether what the peer sends is read. */
  get isReading(): boolean {
    return !this.isPaused;
  }

  /** Forgets what waits, and returns its frames. */
  clear(): readonly WaitingFrame[] {
    const frames = this.waiting.filter((next) => typeof next === 'object');
    this.deps.waitingBytes.add(-this.bytes);
    this.bytes = 0;
    this.waiting = [];
    this.first = 0;
    return frames;
  }

  private enqueue(frame: WaitingFrame): void {
    const { waitingBytes } = this.deps;
    const { length } = frame.bytes;
    this.waiting.push(frame);
    this.bytes += length;
    waitingBytes.add(length);
    if (this.isPaused) return;
    // Frames that were already read still arrive.
    if (waitingBytes.isEnough(this.bytes, this.waiting.length - this.first)) this.pause();
  }

  private run(bytes: Buffer, isText: boolean): void {
    const done = this.deps.handle(bytes, isText);
    if (done !== undefined) this.waitFor(done);
  }

  private waitFor(done: Promise<void>): void {
    this.isBusy = true;
    void done.then(this.goOn);
  }

  private goOnLater(): void {
    this.isBusy = true;
    this.deps.turns.later(this.goOn);
  }

  private readonly goOn = (): void => {
    this.isBusy = false;
    while (this.first < this.waiting.length) {
      if (this.share.isUsedUp()) return this.goOnLater();
      this.runNext();
      if (this.isBusy) return this.forgetHandled();
    }
    this.waiting = [];
    this.first = 0;
    this.deps.onDrained();
    if (!this.isPaused) return;
    this.isPaused = false;
    this.deps.source.resume();
  };

  private runNext(): void {
    const next = this.waiting[this.first];
    this.waiting[this.first++] = undefined;
    if (typeof next === 'function') return this.waitFor(next());
    if (next === undefined) return;
    this.bytes -= next.bytes.length;
    this.deps.waitingBytes.add(-next.bytes.length);
    this.run(next.bytes, next.isText);
  }

  /** Only when they are most of the list, so that moving the others costs little in all. */
  private forgetHandled(): void {
    if (2 * this.first < this.waiting.length) return;
    this.waiting = this.waiting.slice(this.first);
    this.first = 0;
  }
}
