import { schemaVersions, type DomainEvent, type EventType } from './events.js';
import type { HappenedEvent, RecordedEvent } from './eventEnvelope.js';
import { upcasters } from './upcasters.js';

/** An event that this program does not know: written by a newer one, or not by Roomwire at all. */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';

  constructor(event: RecordedEvent) {
    super(
      `Event ${event.id} is a ${event.type} of schema version ${event.schemaVersion}, which is not known`,
    );
  }
}

/** A recorded event in today's schema, ready for a fold. Throws `UnknownEvent` for what this program cannot read. */
export const readEvent = (event: RecordedEvent): HappenedEvent<DomainEvent> =>
  ({
    type: event.type,
    data: currentData(event),
    occurredAt: event.metadata.occurredAt,
  }) as HappenedEvent<DomainEvent>;

const currentData = (event: RecordedEvent): unknown => {
  const type = event.type as EventType;
  const current = schemaVersions[type];
  let { data, schemaVersion } = event;
  while (schemaVersion !== current) {
    const upcast = upcasters[type]?.[schemaVersion];
    if (upcast === undefined) throw new UnknownEvent(event);
    data = upcast(data);
    schemaVersion++;
  }
  return data;
};
