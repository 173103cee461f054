import { deletedOwners } from '@roomwire/shared/domain/deletedIds';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { Service } from '@roomwire/shared/runtime/service';
import type { FollowerDeps } from './checkpointedFollower.js';
import { createDeletionFollower, type DeletedFrom } from './deletionFollower.js';
import { createPruner, followingAndPruning } from './pruner.js';
import { idsDeletedBy } from './removals.js';
import { RepeatedDeletions } from './repeatedDeletions.js';

export interface JobKeeperDeps extends FollowerDeps {
  readonly jobs: Pick<JobStore, 'removeOf'> & DeletedFrom;
  readonly clock: Clock;
  /** Between two looks for groups that were made late. */
  readonly pruneEveryMs?: number;
}

/**
 * Removes worker groups, and their jobs, with what they belong to, by following the log: also where nobody owns them at that time.
 * Several of them do no harm.
 */
export const createJobKeeper = (deps: JobKeeperDeps): Service => {
  const { jobs, clock, logger, pruneEveryMs = 60_000 } = deps;
  const repeated = new RepeatedDeletions<string>(clock, (owners) => jobs.removeOf(owners));
  const follower = createDeletionFollower(deps, {
    name: 'jobs',
    store: jobs,
    repeated,
    deleteBy: repeated.deletingBy(idsDeletedBy(deletedOwners, logger)),
  });

  const pruner = createPruner({
    logger,
    lost: 'Worker groups of what was deleted cannot be removed; retrying',
    back: 'Worker groups of what was deleted are removed again',
    everyMs: pruneEveryMs,
    prune: () => repeated.again(),
  });
  return followingAndPruning(follower, pruner);
};
