import type { Clock } from '@roomwire/shared/ports/clock';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import { once, type Service } from '@roomwire/shared/runtime/service';
import type { FollowerDeps } from './checkpointedFollower.js';
import { createDeletionFollower, type DeletedFrom } from './deletionFollower.js';
import { deletionOf } from './historyDeletions.js';
import { createPruner } from './pruner.js';

export interface JobKeeperDeps extends FollowerDeps {
  readonly jobs: Pick<JobStore, 'removeOf'> & DeletedFrom;
  readonly clock: Clock;
  /** Between two looks for groups that were made late. */
  readonly pruneEveryMs?: number;
}

/** Whoever makes groups has heard of a deletion by then, unless the engines were away. */
const hearingMs = 600_000;

/**
 * Removes worker groups, and their jobs, with what they belong to, by following the log: also where nobody owns them at that time.
 * Several of them do no harm.
 */
export const createJobKeeper = (deps: JobKeeperDeps): Service => {
  const { jobs, clock, logger, pruneEveryMs = 60_000 } = deps;
  let recent: string[] = [];
  const follower = createDeletionFollower(deps, {
    name: 'jobs',
    store: jobs,
    deleteBy: async (events) => {
      const owners: string[] = [];
      for (const event of events) {
        const deletion = deletionOf(event);
        if (deletion?.kind !== 'owner') continue;
        owners.push(deletion.id);
        if (Date.parse(event.metadata.occurredAt) > clock.now() - hearingMs) recent.push(deletion.id);
      }
      if (owners.length > 0) await jobs.removeOf(owners);
      return owners.length > 0;
    },
  });

  let settling: readonly string[] = [];
  const pruner = createPruner({
    logger,
    lost: 'Worker groups of what was deleted cannot be removed; retrying',
    back: 'Worker groups of what was deleted are removed again',
    everyMs: pruneEveryMs,
    prune: async () => {
      // Once more, since a gateway that had not heard of the deletion may have made one.
      if (settling.length > 0) await jobs.removeOf(settling);
      [settling, recent] = [recent, []];
    },
  });
  return {
    async start() {
      await follower.start();
      await pruner.start();
    },
    close: once(async () => {
      const stopped = pruner.close();
      await follower.close();
      await stopped;
    }),
  };
};
