import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { MadeFromAnotherLog } from '@roomwire/shared/ports/errors';
import type { LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import { Outage } from '@roomwire/shared/runtime/outage';
import type { Service } from '@roomwire/shared/runtime/service';
import { keepSubscribed } from './keptSubscription.js';
import { remedyForUnknown } from './unknownEvents.js';
import { continues, originsIn, type MadeFromLog, type OriginDeps } from './origins.js';

/** What is kept up to date with the log, and holds the checkpoint of that. */
export interface Followed extends MadeFromLog {
  checkpoint(): Promise<LogPosition | undefined>;
  /** Called wherever it is gone on from a checkpoint, which others may have moved, before the first batch. */
  resume?(checkpoint: LogPosition): Promise<void>;
  /** Applies a batch and then moves the checkpoint to its end, with the origin. A batch may come again. */
  apply(events: readonly RecordedEvent[], origin: LogOrigin): Promise<void>;
  /** Goes back to the beginning. */
  clear(): Promise<void>;
}

export interface FollowerDeps extends OriginDeps {
  /** The longest wait between retries. */
  readonly maxBackoffMs?: number | undefined;
}

/**
 * Follows the log from a checkpoint, and retries while engines fail. Once it is started nothing of another log is left, and the start
 * rejects with `MadeFromAnotherLog` where that must not be removed; unless an engine fails, and it is found out later.
 */
export const createCheckpointedFollower = (deps: FollowerDeps, followed: Followed): Service => {
  const { log, logger, maxBackoffMs = 5_000 } = deps;
  let originOf: (events: readonly RecordedEvent[]) => LogOrigin;
  const subscribed = keepSubscribed({
    log,
    checkpoint: async () => {
      const checkpoint = await startingPoint(deps, followed);
      if (checkpoint !== undefined) await followed.resume?.(checkpoint);
      originOf = await originsIn(log);
      return checkpoint;
    },
    onEvents: (events) => followed.apply(events, originOf(events)),
    outage: new Outage({
      logger,
      lost: `The ${followed.name} cannot be updated; retrying`,
      back: `The ${followed.name} is updated again`,
      remedyFor: remedyForUnknown,
    }),
    longestMs: maxBackoffMs,
  });
  return {
    async start() {
      await startingPoint(deps, followed).catch((error: unknown) => {
        if (error instanceof MadeFromAnotherLog) throw error;
      });
      await subscribed.start();
    },
    close: () => subscribed.close(),
  };
};

/** The checkpoint; the beginning where that does not fit the log. */
const startingPoint = async (deps: FollowerDeps, followed: Followed): Promise<LogPosition | undefined> => {
  const checkpoint = await followed.checkpoint();
  if (checkpoint === undefined || (await continues(deps, followed, checkpoint))) return checkpoint;
  await followed.clear();
  return undefined;
};
