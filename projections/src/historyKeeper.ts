import type { Clock } from '@roomwire/shared/ports/clock';
import type { HistoryIndex } from '@roomwire/shared/ports/historyIndex';
import type { Service } from '@roomwire/shared/runtime/service';
import type { FollowerDeps } from './checkpointedFollower.js';
import { createDeletionFollower, type DeletedFrom } from './deletionFollower.js';
import { createHistoryDeleter, type HistoryDeleterDeps } from './historyDeleter.js';
import { deletionOf, type HistoryDeletion } from './historyDeletions.js';
import { createPruner, followingAndPruning } from './pruner.js';
import { readably } from './removals.js';
import { RepeatedDeletions } from './repeatedDeletions.js';

export interface HistoryKeeperDeps extends FollowerDeps, HistoryDeleterDeps {
  readonly index: HistoryDeleterDeps['index'] & DeletedFrom & Pick<HistoryIndex, 'prune'>;
  readonly clock: Clock;
  /** Between two looks for messages that have expired. */
  readonly pruneEveryMs?: number;
}

/**
 * [WS-HIST-13] Deletes message history with what it belongs to, by following the log, and what has expired. Several of them do no harm:
 * a deletion that is done again deletes nothing that is newer.
 */
export const createHistoryKeeper = (deps: HistoryKeeperDeps): Service => {
  const { index, clock, logger, pruneEveryMs = 60_000 } = deps;
  const repeated = new RepeatedDeletions<HistoryDeletion>(clock, createHistoryDeleter(deps));
  const follower = createDeletionFollower(deps, {
    name: 'message history',
    store: index,
    repeated,
    deleteBy: repeated.deletingBy(readably(deletionOf, logger)),
  });

  const pruner = createPruner({
    logger,
    lost: 'Messages that have expired cannot be removed; retrying',
    back: 'Messages that have expired are removed again',
    everyMs: pruneEveryMs,
    prune: async () => {
      await repeated.again();
      await index.prune(clock.now());
    },
  });
  return followingAndPruning(follower, pruner);
};
