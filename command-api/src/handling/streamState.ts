import { readEvent, type DomainEvent } from '@roomwire/shared/domain/events';
import type { AppendedEvent, HappenedEvent, RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, ExpectedRevision, LogPosition } from '@roomwire/shared/ports/eventLog';
import { heapBytes } from '@roomwire/shared/runtime/heapBytes';
import type { Edits } from './edits.js';
import type { Decider } from './writeModel.js';

/** A stream folded up to a revision. */
export interface StreamState<State> {
  state: State;
  revision: ExpectedRevision;
  /** Position of the last event folded; undefined for a stream without events. */
  position: LogPosition | undefined;
  /** About what the state takes in memory, or more: of the data of all events folded. */
  bytes: number;
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
  bytes: 0,
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

const weigh = (folded: StreamState<unknown>, { data }: { readonly data: unknown }): void => {
  folded.bytes += recordBytes(data);
};

/** For what collections take for each of their entries, those of a room or a scope among them, and the fields that a fold adds. */
const overheadBytes = 400;

/** About what a record takes in a state. */
const recordBytes = (record: unknown): number => overheadBytes + heapBytes(record);
