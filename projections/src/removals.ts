import { deletedId, type DeletedIds } from '@roomwire/shared/domain/deletedIds';
import { readEvent, type EventType } from '@roomwire/shared/domain/events';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Logger } from '@roomwire/shared/ports/logger';

/** The id of what an event deletes; the others are not read. Throws for a malformed one. */
export const deletedBy = (ids: DeletedIds, event: RecordedEvent): string | undefined =>
  ids[event.type as EventType] && deletedId(ids, readEvent(event));

/**
 * What is read from an event, if anything. A malformed one is skipped and logged as an error: no version could read it, and it must not
 * hold up the deletions behind it.
 */
export const readably =
  <T>(read: (event: RecordedEvent) => T | undefined, logger: Logger) =>
  (event: RecordedEvent): readonly T[] => {
    try {
      const found = read(event);
      return found === undefined ? [] : [found];
    } catch (error) {
      logger.error('An event was skipped', { eventId: event.id, type: event.type, error });
      return [];
    }
  };

/** The ids of what an event deletes: one, or none. */
export const idsDeletedBy = (
  ids: DeletedIds,
  logger: Logger,
): ((event: RecordedEvent) => readonly string[]) => readably((event) => deletedBy(ids, event), logger);

/** For a follower: removes from a store what belongs to what events delete. */
export const removingFrom =
  (
    store: { removeOf(ids: readonly string[]): Promise<unknown> },
    idsOf: (event: RecordedEvent) => readonly string[],
  ) =>
  async (events: readonly RecordedEvent[]): Promise<boolean> => {
    const ids = events.flatMap(idsOf);
    if (ids.length > 0) await store.removeOf(ids);
    return ids.length > 0;
  };
