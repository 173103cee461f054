import { type EventType, readEvent, type DomainEvent } from '@roomwire/shared/domain/events';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { RoomEventStore } from '@roomwire/shared/ports/roomEventStore';
import type { Service } from '@roomwire/shared/runtime/service';
import type { FollowerDeps } from './checkpointedFollower.js';
import { createDeletionFollower, type DeletedFrom } from './deletionFollower.js';

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
    deleteBy: async (events) => {
      const owners = events.flatMap(deletedBy);
      if (owners.length > 0) await deps.store.removeOf(owners);
      return owners.length > 0;
    },
  });

const deletions: { readonly [T in EventType]?: (data: Extract<DomainEvent, { type: T }>['data']) => string } =
  {
    ProjectDeleted: ({ projectId }) => projectId,
    AppDeleted: ({ appId }) => appId,
    RoomDeleted: ({ roomId }) => roomId,
    ScopeDeleted: ({ accessScopeId }) => accessScopeId,
  };

/** Of events that this version can read. */
const deletedBy = (event: RecordedEvent): readonly string[] => {
  const deleted = deletions[event.type as EventType] as ((data: unknown) => string) | undefined;
  return deleted === undefined ? [] : [deleted(readEvent(event).data)];
};
