import type { Buffer } from 'node:buffer';

interface WaitingFrame {
  readonly bytes: Buffer;
  readonly isText: boolean;
}

interface Source {
  pause(): void;
  resume(): void;
}

/** Handles a frame; a promise, which never rejects, only where it has to wait. */
export type FrameHandler = (bytes: Buffer, isText: boolean) => Promise<void> | undefined;

/** A task between two frames. It must not reject. */
export type InboxTask = () => Promise<void>;

/** Queued frames beyond which the socket is paused; frames that were already read still arrive. */
const maxWaiting = 32;

/** Handles the frames of one connection sequentially, including asynchronous ones. */
export class Inbox {
  private readonly handle: FrameHandler;
  private readonly source: Source;
  private waiting: (WaitingFrame | InboxTask)[] = [];
  private isBusy = false;
  private isPaused = false;

  constructor(source: Source, handle: FrameHandler) {
    this.source = source;
    this.handle = handle;
  }

  accept(bytes: Buffer, isText: boolean): void {
    if (!this.isBusy) return this.run(bytes, isText);
    this.waiting.push({ bytes, isText });
    if (this.isPaused || this.waiting.length < maxWaiting) return;
    this.isPaused = true;
    this.source.pause();
  }

  /** Runs the task after the frames already queued. */
  perform(task: InboxTask): void {
    if (this.isBusy) this.waiting.push(task);
    else this.waitFor(task());
  }

  /** Whether frames may wait unread. */
  get isBehind(): boolean {
    return this.isBusy;
  }

  clear(): void {
    this.waiting = [];
  }

  private run(bytes: Buffer, isText: boolean): void {
    const done = this.handle(bytes, isText);
    if (done !== undefined) this.waitFor(done);
  }

  private waitFor(done: Promise<void>): void {
    this.isBusy = true;
    void done.then(this.goOn);
  }

  private readonly goOn = (): void => {
    this.isBusy = false;
    let handled = 0;
    while (!this.isBusy && handled < this.waiting.length) {
      const next = this.waiting[handled++] as WaitingFrame | InboxTask;
      if (typeof next === 'function') this.waitFor(next());
      else this.run(next.bytes, next.isText);
    }
    this.waiting = this.waiting.slice(handled);
    if (this.isBusy || !this.isPaused) return;
    this.isPaused = false;
    this.source.resume();
  };
}
