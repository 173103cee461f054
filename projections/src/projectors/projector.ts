import type { ViewChange } from '@roomwire/shared/ports/viewStore';
import type { DomainEvent } from '@roomwire/shared/domain/events';

/** Where and when an event stands, as far as a read model may show it. */
export interface EventPlace {
  readonly occurredAt: string;
  readonly position: string;
}

/**
 * A read model as a table: event type to the changes that it makes. Pure, and idempotent: a change says what a
 * document becomes, never by how much it moves.
 */
export type Projector<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: (
    data: Extract<Event, { readonly type: Type }>['data'],
    place: EventPlace,
  ) => readonly ViewChange[];
};
