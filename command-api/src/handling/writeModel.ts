import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { HappenedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { isSameJson } from '../policy/isSameJson.js';
import type { Edits } from './edits.js';

/**
 * A write model as three pure functions: no I/O, no clock, no randomness.
 *
 * `evolve` owns the state it is given. It changes its collections in place, by `edits` alone, which may be taken back; everything else
 * in a state is replaced and never changed.
 * `decide` reads the state, and either returns the events that happen or throws a `Rejection`.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initial: () => State;
  readonly evolve: (state: State, event: HappenedEvent<Event>, edits?: Edits) => State;
  readonly decide: (command: Command, state: State) => readonly Event[];
  /** For states of many records, whose streams grow for as long as they are used: they are kept as snapshots. */
  readonly records?: StateRecords<State>;
}

/** A state as JSON records, of which it can be made again. */
export interface StateRecords<State> {
  /** Goes up whenever the same events would give other records: snapshots of another version are not used. */
  readonly version: number;
  readonly of: (state: State) => readonly unknown[];
  /** Given all of them in their order, beginning with the initial state. */
  readonly into: (state: State, record: unknown) => State;
}

/** A decider and the stream that it decides for. */
export interface Target<State, Command, Event extends DomainEvent> {
  readonly stream: string;
  readonly decider: Decider<State, Command, Event>;
  /** The stream is taken to have no events, which the append checks: nothing is read before it. */
  readonly isUnwritten?: boolean;
}

/** The target of a command that begins a stream: its id was drawn for it, or names something that is done once. */
export const unwritten = <State, Command, Event extends DomainEvent>(
  target: Target<State, Command, Event>,
): Target<State, Command, Event> => ({ ...target, isUnwritten: true });

/** The target of a command, by the id that names its stream. */
export const targetOf =
  <State, Command, Event extends DomainEvent>(
    streamOf: (id: string) => string,
    decider: Decider<State, Command, Event>,
  ) =>
  (id: string): Target<State, Command, Event> => ({ stream: streamOf(id), decider });

/** The requested fields whose value differs from the record's; undefined when none does. */
export const changedFields = <R extends object, C extends Partial<R>>(
  record: R,
  requested: C,
): C | undefined => {
  const changed = Object.entries(requested).filter(
    ([field, value]) => value !== undefined && !isSameJson(value, record[field as keyof R]),
  );
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as C);
};
