import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import { Outage } from '@roomwire/shared/runtime/outage';
import type { Service } from '@roomwire/shared/runtime/service';
import { keepSubscribed } from './keptSubscription.js';
import { remedyForUnknown } from './unknownEvents.js';

/** What is kept up to date with the log, and holds the checkpoint of that. */
export interface Followed {
  /** For log lines: `audit index`. */
  readonly name: string;
  checkpoint(): Promise<LogPosition | undefined>;
  /** Applies a batch and then moves the checkpoint to its end. A batch may come again. */
  apply(events: readonly RecordedEvent[], position: LogPosition): Promise<void>;
  /** Goes back to the beginning. */
  clear(): Promise<void>;
}

export interface FollowerDeps {
  readonly log: EventLog;
  readonly logger: Logger;
  /** The longest wait between retries. */
  readonly maxBackoffMs?: number | undefined;
}

/** Follows the log from a checkpoint, and retries while engines fail. */
export const createCheckpointedFollower = (deps: FollowerDeps, followed: Followed): Service => {
  const { log, logger, maxBackoffMs = 5_000 } = deps;
  const onEvents = async (events: readonly RecordedEvent[]): Promise<void> => {
    const last = events.at(-1);
    if (last !== undefined) await followed.apply(events, last.position);
  };
  return keepSubscribed({
    ...{ log, onEvents },
    checkpoint: () => startingPoint(deps, followed),
    outage: new Outage({
      logger,
      lost: `The ${followed.name} cannot be updated; retrying`,
      back: `The ${followed.name} is updated again`,
      remedyFor: remedyForUnknown,
    }),
    longestMs: maxBackoffMs,
  });
};

/** The checkpoint; the beginning where it is of another log, for example after a restore. */
const startingPoint = async (
  { log, logger }: FollowerDeps,
  followed: Followed,
): Promise<LogPosition | undefined> => {
  const [checkpoint, head] = [await followed.checkpoint(), await log.head()];
  if (checkpoint === undefined || (head !== undefined && checkpoint <= head)) return checkpoint;
  logger.warn(`The ${followed.name} is ahead of the event log and is rebuilt`, { checkpoint, head });
  await followed.clear();
  return undefined;
};
