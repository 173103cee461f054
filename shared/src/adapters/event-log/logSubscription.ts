import { setImmediate } from 'node:timers/promises';
import type { LogSubscriber, LogSubscription } from '../../ports/eventLog.js';
import { once } from '../../runtime/service.js';
import { sequenceOf } from './eventCodec.js';
import type { EventBatch } from './readBatches.js';
import type { Signal } from './signal.js';

export interface LogTail {
  /** The next batch after a sequence; empty at the end of the log. */
  read(after: number): EventBatch;
  /** Given when the log has grown. */
  readonly growth: Signal;
}

/** Reads on while there is something to read, then waits for the log to grow. `first` throws for an unknown place. */
export const followLog = (tail: LogTail, first: () => number, subscriber: LogSubscriber): LogSubscription => {
  let closing = false;

  const follow = async (): Promise<void> => {
    await Promise.resolve(); // Nothing is handed over before the subscriber holds its subscription.
    let after = first();
    let caughtUp = false;
    while (!closing) {
      const batch = tail.read(after);
      const last = batch.at(-1);
      if (last === undefined) {
        if (!caughtUp) subscriber.onCaughtUp?.();
        caughtUp = true;
        // No turn of the event loop lies between the read and this, so that no growth is missed.
        await tail.growth.next();
        continue;
      }
      caughtUp = false;
      await subscriber.onEvents(batch);
      after = sequenceOf(last.position);
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
