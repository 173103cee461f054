import { readEvent, type DomainEvent } from '@roomwire/shared/domain/events';
import {
  dataTextOf,
  type AppendedEvent,
  type HappenedEvent,
  type RecordedEvent,
} from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, ExpectedRevision, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Edits } from './edits.js';
import type { Decider } from './writeModel.js';

/** A stream folded up to a revision. */
export interface StreamState<State> {
  state: State;
  revision: ExpectedRevision;
  /** Position of the last event folded; undefined for a stream without events. */
  position: LogPosition | undefined;
  /** Of the data of all events folded, as JSON. */
  characters: number;
}

/** Brings a folded stream up to date. Only the events after its revision are read. */
export const refresh = async <State, Command, Event extends DomainEvent>(
  log: EventLog,
  stream: string,
  decider: Decider<State, Command, Event>,
  known: StreamState<State> | undefined,
): Promise<StreamState<State>> => {
  const folded = known ?? unfolded(decider);
  const from = folded.revision === 'none' ? 0 : folded.revision + 1;
  for await (const events of log.readStream(stream, from)) {
    for (const event of events) foldRecorded(decider, folded, event);
  }
  return folded;
};

const unfolded = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
): StreamState<State> => ({
  state: decider.initial(),
  revision: 'none',
  position: undefined,
  characters: 0,
});

const foldRecorded = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  folded: StreamState<State>,
  event: RecordedEvent,
): void => {
  folded.state = decider.evolve(folded.state, readEvent(event) as HappenedEvent<Event>);
  folded.revision = event.revision;
  folded.position = event.position;
  weigh(folded, event);
};

/** As if they had been read, except for where they are in the log. */
export const foldAhead = (
  decider: Decider<unknown, unknown, DomainEvent>,
  folded: StreamState<unknown>,
  events: readonly AppendedEvent[],
  edits: Edits,
): void => {
  for (const event of events) {
    const { type, data, metadata } = event;
    const happened = { type, data, occurredAt: metadata.occurredAt } as HappenedEvent<DomainEvent>;
    folded.state = decider.evolve(folded.state, happened, edits);
    weigh(folded, event);
  }
};

const weigh = (folded: StreamState<unknown>, { data, dataText = dataTextOf(data) }: AppendedEvent): void => {
  folded.characters += dataText.length;
};
