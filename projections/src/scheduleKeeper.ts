import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { readEvent, type DomainEvent, type EventType } from '@roomwire/shared/domain/events';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { Service } from '@roomwire/shared/runtime/service';
import type { FollowerDeps } from './checkpointedFollower.js';
import { createDeletionFollower, type DeletedFrom } from './deletionFollower.js';

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
    deleteBy: async (events) => {
      const owners = events.flatMap((event) => deletedBy(event, logger));
      if (owners.length > 0) await schedules.removeOf(owners);
      return owners.length > 0;
    },
  });
};

const deletions: { readonly [T in EventType]?: (data: Extract<DomainEvent, { type: T }>['data']) => string } =
  {
    ProjectDeleted: ({ projectId }) => projectId,
    AppDeleted: ({ appId }) => appId,
    ScopeDeleted: ({ accessScopeId }) => accessScopeId,
  };

const deletedBy = (event: RecordedEvent, logger: Logger): readonly string[] => {
  const deleted = deletions[event.type as EventType] as ((data: unknown) => string) | undefined;
  if (deleted === undefined) return [];
  try {
    return [deleted(readEvent(event).data)];
  } catch (error) {
    logger.error('An event was skipped', { eventId: event.id, type: event.type, error });
    return [];
  }
};
