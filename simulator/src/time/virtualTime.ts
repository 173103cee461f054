import { EventQueue, type TimedEvent } from './eventQueue.js';
import type { Owner } from './owner.js';

/** Taken before the globals are replaced. */
const realTurn = setImmediate;

/** So many events are run in one pass of the real event loop, which ends the promise jobs of each before the next. */
const eventsPerPass = 64;

/**
 * The only time of a simulation. Events happen one by one in an order that follows from the seed alone: each belongs to a
 * process, and so does everything that its promises go on to do before the next event.
 */
export class VirtualTime {
  /** Milliseconds since the simulation began. */
  now = 0;
  /** The process whose event is running. */
  current: Owner | undefined;
  events = 0;
  private order = 0;
  private readonly queue = new EventQueue();

  at(owner: Owner | undefined, at: number, run: () => void): TimedEvent {
    const event = { at, order: this.order++, owner, run };
    this.queue.push(event);
    return event;
  }

  /** By the virtual time. */
  after(owner: Owner | undefined, ms: number, run: () => void): TimedEvent {
    return this.at(owner, this.now + ms, run);
  }

  /** By the clock of the process. */
  timer(owner: Owner | undefined, ms: number, run: () => void): TimedEvent {
    const virtualMs = Math.max(1, ms) / (owner?.rate ?? 1);
    return this.after(owner, virtualMs, run);
  }

  /** Resolves at a virtual time; rejects with what an event throws. */
  run(until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const step = (): void => {
        if (isOver) return;
        try {
          if (this.step(until)) return;
          isOver = true;
          resolve();
        } catch (error) {
          isOver = true;
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      const pass = (): void => {
        if (isOver) return;
        for (let n = 0; n < eventsPerPass; n += 1) realTurn(step);
        realTurn(pass);
      };
      pass();
    });
  }

  private step(until: number): boolean {
    for (;;) {
      const event = this.queue.pop();
      if (event === undefined || event.at > until) {
        if (event !== undefined) this.queue.push(event);
        this.now = until;
        return false;
      }
      const { owner, run } = event;
      if (run === undefined || owner?.isAlive === false) continue;
      if (owner !== undefined && owner.stalledUntil > event.at) {
        event.at = owner.stalledUntil;
        this.queue.push(event);
        continue;
      }
      this.now = event.at;
      this.current = owner;
      this.events += 1;
      run();
      return true;
    }
  }
}
