import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { HappenedEvent } from '@roomwire/shared/domain/eventEnvelope';

/**
 * A write model as three functions without I/O, clock or chance.
 *
 * `evolve` owns the state it is given and may change it in place: a state is only ever folded forward.
 * `decide` reads the state, and either returns the events that happen or throws a `Refusal`.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initial: () => State;
  readonly evolve: (state: State, event: HappenedEvent<Event>) => State;
  readonly decide: (command: Command, state: State) => readonly Event[];
}
