import { readEvent } from '@roomwire/shared/domain/readEvent';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { HappenedEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, ExpectedRevision, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Decider } from './decider.js';

/** A stream folded up to a revision. */
export interface StreamState<State> {
  state: State;
  revision: ExpectedRevision;
  /** Position of the last event folded; undefined for a stream without events. */
  position: LogPosition | undefined;
}

/** Brings a folded stream up to date. Only the events behind its revision are read. */
export const refresh = async <State, Command, Event extends DomainEvent>(
  log: EventLog,
  stream: string,
  decider: Decider<State, Command, Event>,
  known: StreamState<State> | undefined,
): Promise<StreamState<State>> => {
  const folded = known ?? { state: decider.initial(), revision: 'none', position: undefined };
  const from = folded.revision === 'none' ? 0 : folded.revision + 1;
  for await (const events of log.readStream(stream, from)) {
    for (const event of events) foldOne(decider, folded, event);
  }
  return folded;
};

const foldOne = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  folded: StreamState<State>,
  event: RecordedEvent,
): void => {
  folded.state = decider.evolve(folded.state, readEvent(event) as HappenedEvent<Event>);
  folded.revision = event.revision;
  folded.position = event.position;
};
