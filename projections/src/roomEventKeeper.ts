import { deletedOwners } from '@roomwire/shared/domain/deletedIds';
import type { RoomEventStore } from '@roomwire/shared/ports/roomEventStore';
import type { Service } from '@roomwire/shared/runtime/service';
import type { FollowerDeps } from './checkpointedFollower.js';
import { createDeletionFollower, type DeletedFrom } from './deletionFollower.js';
import { idsDeletedBy, removingFrom } from './removals.js';

export interface RoomEventKeeperDeps extends FollowerDeps {
  readonly store: DeletedFrom & Pick<RoomEventStore, 'removeOf'>;
}

/**
 * [HOOK-EVENT-5] Removes what is kept for the events of rooms with what it belongs to, by following the log. A room of which something is still to
 * be told is removed by the gateway that tells it.
 */
export const createRoomEventKeeper = (deps: RoomEventKeeperDeps): Service =>
  createDeletionFollower(deps, {
    name: 'room events',
    store: deps.store,
    deleteBy: removingFrom(deps.store, idsDeletedBy(deletedOwners, deps.logger)),
  });
