import { UnknownEvent } from '@roomwire/shared/domain/events';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import { Outage } from '@roomwire/shared/runtime/outage';
import { once, type Service } from '@roomwire/shared/runtime/service';
import { createCheckpointedFollower, type FollowerDeps } from './checkpointedFollower.js';
import { createHistoryDeleter, type HistoryDeleterDeps } from './historyDeleter.js';
import { deletionOf, type HistoryDeletion } from './historyDeletions.js';
import { upToUnknown } from './unknownEvents.js';

export interface HistoryKeeperDeps extends FollowerDeps, HistoryDeleterDeps {
  readonly index: HistoryDeleterDeps['index'] &
    Pick<HistoryIndex, 'prune' | 'checkpoint' | 'origin' | 'moveCheckpoint'>;
  readonly clock: Clock;
  /** Between two looks for messages that have expired. */
  readonly pruneEveryMs?: number;
}

/** So many events that delete nothing may be read again after a start: each checkpoint costs a sync of the disk. */
const repeated = 1_000;

/** A message that was under way when its owner was deleted has arrived by then, unless the engines were away. */
const arrivalMs = 600_000;

/**
 * [WS-HIST-13] Deletes message history with what it belongs to, by following the log, and what has expired. Several of them do no harm:
 * a deletion that is done again deletes nothing that is newer.
 */
export const createHistoryKeeper = (deps: HistoryKeeperDeps): Service => {
  const { index, clock, logger, pruneEveryMs = 60_000 } = deps;
  const deleteHistory = createHistoryDeleter(deps);
  let passedOver = 0;
  let recent: HistoryDeletion[] = [];
  const follower = createCheckpointedFollower(deps, {
    name: 'message history',
    checkpoint: () => index.checkpoint(),
    origin: () => index.origin(),
    apply: async (events, origin) => {
      // An event of a newer version may delete something.
      const { readable, unknown } = upToUnknown(events);
      const deletions: HistoryDeletion[] = [];
      for (const event of readable) {
        const deletion = deletionOf(event);
        if (deletion === undefined) continue;
        deletions.push(deletion);
        if (Date.parse(event.metadata.occurredAt) > clock.now() - arrivalMs) recent.push(deletion);
      }
      await deleteHistory(deletions);
      passedOver += readable.length;
      const last = readable.at(-1);
      if (last !== undefined && (deletions.length > 0 || passedOver >= repeated)) {
        await index.moveCheckpoint(last.position, { ...origin, position: last.position, event: last.id });
        passedOver = 0;
      }
      if (unknown !== undefined) throw new UnknownEvent(unknown);
    },
    clear: () => index.moveCheckpoint(undefined),
  });

  let settling: readonly HistoryDeletion[] = [];
  /** Deletes once more what was kept meanwhile by whoever had not heard of the deletion. */
  const deleteLate = async (): Promise<void> => {
    await deleteHistory(settling);
    [settling, recent] = [recent, []];
  };

  const outage = new Outage({
    logger,
    lost: 'Messages that have expired cannot be removed; retrying',
    back: 'Messages that have expired are removed again',
  });
  let pruning: Promise<void> | undefined;
  const prune = async (): Promise<void> => {
    try {
      await deleteLate();
      await index.prune(clock.now());
      outage.over();
    } catch (error) {
      outage.failed(error);
    } finally {
      pruning = undefined;
    }
  };

  let timer: NodeJS.Timeout | undefined;
  return {
    async start() {
      await follower.start();
      timer = setInterval(() => void (pruning ??= prune()), pruneEveryMs).unref();
      pruning = prune();
    },
    close: once(async () => {
      clearInterval(timer);
      await follower.close();
      await pruning;
    }),
  };
};
