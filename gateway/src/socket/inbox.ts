import type { Buffer } from 'node:buffer';

interface WaitingFrame {
  readonly bytes: Buffer;
  readonly isText: boolean;
}

/** What can be told to stop sending for a while. */
interface Source {
  pause(): void;
  resume(): void;
}

/** Handles a frame; a promise, which never rejects, only where it has to wait. */
export type FrameHandler = (bytes: Buffer, isText: boolean) => Promise<void> | undefined;

/** Something else that has to be done between two frames; must not reject. */
export type InboxTask = () => Promise<void>;

/** Frames that may wait before the socket is no longer read; what was read already still comes. */
const maxWaiting = 32;

/** The frames of one connection are handled one after the other, also where handling one takes a while. */
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

  /** Runs once what is in hand is done, in front of no frame that waits already. */
  perform(task: InboxTask): void {
    if (this.isBusy) this.waiting.push(task);
    else this.waitFor(task());
  }

  /** Whether the connection is silent because of us and not of its peer. */
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
