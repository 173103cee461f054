import { schemaVersions, type DomainEvent } from './events.js';
import type { HappenedEvent, RecordedEvent } from './eventEnvelope.js';
import { upcasters, type Upcast } from './upcasters.js';

/** An event that this program does not know: written by a newer one, or not by Roomwire at all. */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';

  constructor(event: RecordedEvent) {
    super(
      `Event ${event.id} is a ${event.type} of schema version ${event.schemaVersion}, which is not known`,
    );
  }
}

/** The schema version of each event type, and how the data of older ones becomes that of the next. */
export interface EventSchemas {
  readonly versions: Readonly<Record<string, number>>;
  readonly upcasters: Readonly<Record<string, Readonly<Record<number, Upcast>> | undefined>>;
}

const today: EventSchemas = { versions: schemaVersions, upcasters };

/** A recorded event in today's schema, ready for a fold. Throws `UnknownEvent` for what this program cannot read. */
export const readEvent = (event: RecordedEvent): HappenedEvent<DomainEvent> =>
  ({
    type: event.type,
    data: currentData(event, today),
    occurredAt: event.metadata.occurredAt,
  }) as HappenedEvent<DomainEvent>;

/** The data of an event in the current version of its type, one version after the other. Throws `UnknownEvent`. */
export const currentData = (event: RecordedEvent, { versions, upcasters: known }: EventSchemas): unknown => {
  const current = Object.hasOwn(versions, event.type) ? versions[event.type] : undefined;
  let { data, schemaVersion } = event;
  while (schemaVersion !== current) {
    const upcast = current === undefined ? undefined : known[event.type]?.[schemaVersion];
    if (upcast === undefined) throw new UnknownEvent(event);
    data = upcast(data);
    schemaVersion++;
  }
  return data;
};
