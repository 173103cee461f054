import { setImmediate } from 'node:timers/promises';
import type { LogPosition, LogSubscriber, LogSubscription } from '../../ports/eventLog.js';
import { once } from '../../runtime/service.js';
import { workSlices } from '../../runtime/workSlices.js';
import type { EventBatch } from './eventTables.js';

/** Wakes all current waiters. A later waiter waits for the next signal. */
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
  /** 0 for none; throws for a position beyond the end of the log. */
  sequenceOf(position: LogPosition | undefined): number;
  /** The next batch after a sequence; empty at the end of the log. */
  readAfter(sequence: number): EventBatch;
  /** Whether it took long to read the last batch, for this follower or another one in the same turn. */
  tookLong(): boolean;
  /** Signalled when the log has grown. */
  readonly growth: Signal;
}

/** Reads to the end of the log, then waits until it has grown. */
export const followLog = (
  tail: LogTail,
  start: LogPosition | undefined,
  subscriber: LogSubscriber,
): LogSubscription => {
  let closing = false;

  const follow = async (): Promise<void> => {
    await Promise.resolve(); // The caller gets its subscription before the first event.
    let after = tail.sequenceOf(start);
    let caughtUp = false;
    while (!closing) {
      const batch = tail.readAfter(after);
      const last = batch.at(-1);
      if (last === undefined) {
        // In the same turn as the read, so that neither growth nor a close in `onCaughtUp` is missed.
        const growth = tail.growth.next();
        if (!caughtUp) subscriber.onCaughtUp?.();
        caughtUp = true;
        await growth;
        continue;
      }
      caughtUp = false;
      // Handling what took long to read does so too, in every follower.
      if (tail.tookLong()) await workSlices().next();
      await subscriber.onEvents(batch);
      after = tail.sequenceOf(last.position);
      await setImmediate(); // A subscriber that resolves immediately must not starve the event loop.
    }
  };

  const done = follow();
  done.catch(() => undefined); // An unobserved `done` must not end the process.
  return {
    done,
    close: once(async () => {
      closing = true;
      tail.growth.give();
      await done.catch(() => undefined);
    }),
  };
};
