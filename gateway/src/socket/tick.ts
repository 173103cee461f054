import { FramePath } from './framePath.js';

interface Flushable {
  flush(): void;
}

/**
 * Gathers what all sockets are to send in one turn of the event loop and lets it leave at the end of it: one write a
 * socket. Not a timer: a message waits for the reads that the loop has at hand, and for nothing else.
 */
export class Tick {
  private root = new FramePath();
  private waiting: Flushable[] = [];

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
    for (const outbox of ending) outbox.flush();
  };
}
