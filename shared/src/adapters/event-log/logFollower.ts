import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '../../domain/eventEnvelope.js';
import type { LogSubscriber, LogSubscription } from '../../ports/eventLog.js';
import { once } from '../../runtime/service.js';

const longBatch = 100;

export interface FollowedLog {
  /** The next events after a number, none at the end. */
  next(afterSequence: number): readonly RecordedEvent[];
  sequenceOf(event: RecordedEvent): number;
  /** Resolves when there may be more than there was. */
  grown(): Promise<void>;
}

/** One loop: what is there, then what comes. There is no change from one to the other that could lose or double. */
export const follow = (log: FollowedLog, afterSequence: number, subscriber: LogSubscriber): LogSubscription => {
  let isClosed = false;
  let wake: () => void = () => undefined;
  const closing = new Promise<void>((resolve) => (wake = resolve));

  const run = async (): Promise<void> => {
    // The subscriber hears nothing before it holds its subscription.
    await Promise.resolve();
    let after = afterSequence;
    while (!isClosed) {
      const grown = log.grown();
      const events = log.next(after);
      const last = events.at(-1);
      if (last === undefined) {
        subscriber.onCaughtUp?.();
        await Promise.race([grown, closing]);
      } else {
        await subscriber.onEvents(events);
        after = log.sequenceOf(last);
        // A long history must not keep the rest of the process waiting.
        if (events.length >= longBatch) await nextTurn();
      }
    }
  };

  const done = run();
  // Whoever closes without looking at `done` must not be told of a failure by the end of the process.
  const ended = done.catch(() => undefined);
  return {
    done,
    close: once(async () => {
      isClosed = true;
      wake();
      await ended;
    }),
  };
};
