import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition, LogSubscription } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { backOffMs, sleep } from '@roomwire/shared/runtime/waiting';

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
  const closing = new AbortController();
  let subscription: LogSubscription | undefined;
  let running: Promise<void> = Promise.resolve();

  const follow = async (): Promise<void> => {
    const onEvents = async (events: readonly RecordedEvent[]): Promise<void> => {
      const last = events.at(-1);
      if (last !== undefined) await followed.apply(events, last.position);
    };
    subscription = log.subscribeAll(await startingPoint(deps, followed), { onEvents });
    if (closing.signal.aborted) await subscription.close();
    await subscription.done;
  };

  const run = async (): Promise<void> => {
    for (let failures = 1; !closing.signal.aborted; failures += 1) {
      try {
        await follow();
      } catch (error) {
        if (closing.signal.aborted) return;
        logger.warn(`The ${followed.name} cannot be updated; retrying`, { error });
        const waitMs = backOffMs({ firstMs: 100, longestMs: maxBackoffMs }, failures);
        await sleep(waitMs, closing.signal);
      }
    }
  };

  return {
    async start() {
      running = run();
    },
    close: once(async () => {
      closing.abort();
      await subscription?.close();
      await running;
    }),
  };
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
