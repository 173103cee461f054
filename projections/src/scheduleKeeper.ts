import { deletedOwners, type DeletedIds } from '@roomwire/shared/domain/deletedIds';
import type { ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { Service } from '@roomwire/shared/runtime/service';
import type { FollowerDeps } from './checkpointedFollower.js';
import { createDeletionFollower, type DeletedFrom } from './deletionFollower.js';
import { idsDeletedBy, removingFrom } from './removals.js';

export interface ScheduleKeeperDeps extends FollowerDeps {
  readonly schedules: DeletedFrom & Pick<ScheduleStore, 'removeOf'>;
}

/**
 * [WS-LATER-7] Removes publishes that wait for their time with what they belong to, by following the log. One that is stored just then is judged when it
 * is due, and so are those whose room or actor is gone.
 */
export const createScheduleKeeper = (deps: ScheduleKeeperDeps): Service => {
  const { schedules, logger } = deps;
  return createDeletionFollower(deps, {
    name: 'store of scheduled publishes',
    store: schedules,
    deleteBy: removingFrom(schedules, idsDeletedBy(deletions, logger)),
  });
};

/** A room's publishes stay, and are judged when they are due. */
const { ProjectDeleted, AppDeleted, ScopeDeleted } = deletedOwners;
const deletions: DeletedIds = { ProjectDeleted, AppDeleted, ScopeDeleted };
