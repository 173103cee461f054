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
  /** Id and position of the last event folded; undefined for a stream without events. */
  lastEvent: string | undefined;
  position: LogPosition | undefined;
  /** About what the state takes in memory, or more: of what it was made from, the events and the records of a snapshot. */
  bytes: number;
  /** Of these, the events since the last snapshot. */
  bytesSinceSnapshot: number;
  /** -1 for none. */
  snapshotRevision: number;
}

/** Where states are made from, other than from all of their events. */
export interface KeptStates {
  /** Undefined where there is none that fits the stream as it is now. */
  load<State, Command, Event extends DomainEvent>(
    stream: string,
    decider: Decider<State, Command, Event>,
  ): Promise<StreamState<State> | undefined>;

  /** Keeps the state as it is, without waiting for it, where that would save much reading. */
  keep<State, Command, Event extends DomainEvent>(
    stream: string,
    decider: Decider<State, Command, Event>,
    folded: StreamState<State>,
  ): void;
}

/** Brings a folded stream up to date. Only the events after its revision are read. */
export const refresh = async <State, Command, Event extends DomainEvent>(
  { log, kept }: { readonly log: EventLog; readonly kept?: KeptStates | undefined },
  stream: string,
  decider: Decider<State, Command, Event>,
  known: StreamState<State> | undefined,
): Promise<StreamState<State>> => {
  const folded = known ?? (await kept?.load(stream, decider)) ?? unfolded(decider);
  const from = folded.revision === 'none' ? 0 : folded.revision + 1;
  for await (const events of log.readStream(stream, from)) {
    for (const event of events) foldRecorded(decider, folded, event);
  }
  return folded;
};

/** The state of a stream without events. */
export const unfolded = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
): StreamState<State> => ({
  state: decider.initial(),
  revision: 'none',
  lastEvent: undefined,
  position: undefined,
  bytes: 0,
  bytesSinceSnapshot: 0,
  snapshotRevision: -1,
});

const foldRecorded = <State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  folded: StreamState<State>,
  event: RecordedEvent,
): void => {
  folded.state = decider.evolve(folded.state, readEvent(event) as HappenedEvent<Event>);
  folded.revision = event.revision;
  folded.lastEvent = event.id;
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
  const bytes = recordBytes(data);
  folded.bytes += bytes;
  folded.bytesSinceSnapshot += bytes;
};

/** For what collections take for each of their entries, those of a room or a scope among them, and the fields that a fold adds. */
const overheadBytes = 400;

/** About what a record takes in a state. */
export const recordBytes = (record: unknown): number => overheadBytes + heapBytes(record);
