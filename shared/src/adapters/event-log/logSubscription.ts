import { setImmediate } from 'node:timers/promises';
import type { LogPosition, LogSubscriber, LogSubscription } from '../../ports/eventLog.js';
import { once } from '../../runtime/service.js';
import type { EventBatch } from './eventTables.js';

/** Wakes everybody who waits. It is not kept for those who come later. */
export interface Signal {
  next(): Promise<void>;
  give(): void;
}

export const createSignal = (): Signal => {
  let waiting: (() => void)[] = [];
  return {
    next: () => new Promise((resolve) => waiting.push(resolve)),
    give: () => {
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
  };
};

export interface LogTail {
  /** 0 for none; throws for a position that the log has not handed out. */
  sequenceOf(position: LogPosition | undefined): number;
  /** The next batch after a sequence; empty at the end of the log. */
  readAfter(sequence: number): EventBatch;
  /** Given when the log has grown. */
  readonly growth: Signal;
}

/** Reads on while there is something to read, then waits for the log to grow. */
export const followLog = (
  tail: LogTail,
  start: LogPosition | undefined,
  subscriber: LogSubscriber,
): LogSubscription => {
  let closing = false;

  const follow = async (): Promise<void> => {
    await Promise.resolve(); // Nothing is handed over before the subscriber holds its subscription.
    let after = tail.sequenceOf(start);
    let caughtUp = false;
    while (!closing) {
      const batch = tail.readAfter(after);
      const last = batch.at(-1);
      if (last === undefined) {
        // Asked for in the same turn as the read, so that no growth is missed, nor a close from `onCaughtUp`.
        const growth = tail.growth.next();
        if (!caughtUp) subscriber.onCaughtUp?.();
        caughtUp = true;
        await growth;
        continue;
      }
      caughtUp = false;
      await subscriber.onEvents(batch);
      after = tail.sequenceOf(last.position);
      await setImmediate(); // A subscriber that is always at once done must not starve the event loop.
    }
  };

  const done = follow();
  done.catch(() => undefined); // Whoever does not look at `done` must not end the process.
  return {
    done,
    close: once(async () => {
      closing = true;
      tail.growth.give();
      await done.catch(() => undefined);
    }),
  };
};
