import { schemaVersions, type DomainEvent, type EventType } from './events.js';
import type { HappenedEvent, RecordedEvent } from './eventEnvelope.js';

/** An event that this program does not know: written by a newer one, or not by Roomwire at all. */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';

  constructor(event: RecordedEvent) {
    super(
      `Event ${event.id} is a ${event.type} of schema version ${event.schemaVersion}, which is not known`,
    );
  }
}

/**
 * A recorded event in today's schema, ready for a fold. This is the one place where old versions are upcast;
 * every type is still at its first version.
 */
export const readEvent = (event: RecordedEvent): HappenedEvent<DomainEvent> => {
  if (schemaVersions[event.type as EventType] !== event.schemaVersion) throw new UnknownEvent(event);
  return {
    type: event.type,
    data: event.data,
    occurredAt: event.metadata.occurredAt,
  } as HappenedEvent<DomainEvent>;
};
