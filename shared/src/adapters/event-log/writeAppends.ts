import { RevisionConflict } from '../../ports/errors.js';
import type { AppendResult, ExpectedRevision } from '../../ports/eventLog.js';
import { positionOf, recordedEvent, storedText, type EncodedEvent } from './eventCodec.js';
import { lastSequence, type EventTables } from './eventTables.js';

export interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EncodedEvent[];
}

export type AppendOutcome = AppendResult | RevisionConflict;

/** To be run in a write transaction: each append sees those before it, and one that is refused has written nothing. */
export const writeAppends = (tables: EventTables, appends: readonly Append[]): AppendOutcome[] => {
  let sequence = lastSequence(tables);
  return appends.map((append) => {
    if (!meetsExpectation(append, tables.heads.get(append.stream))) {
      return repeatedResult(tables, append) ?? new RevisionConflict(append.stream);
    }
    const result = write(tables, append, sequence);
    sequence += append.events.length;
    return result;
  });
};

const meetsExpectation = ({ expected }: Append, head: number | undefined): boolean =>
  expected === 'none' ? head === undefined : head === expected;

const firstRevision = ({ expected }: Append): number => (expected === 'none' ? 0 : expected + 1);

const write = (tables: EventTables, append: Append, last: number): AppendResult => {
  const { stream, events } = append;
  let revision = firstRevision(append) - 1;
  let sequence = last;
  for (const event of events) {
    revision += 1;
    sequence += 1;
    tables.events.putSync(sequence, storedText(stream, revision, event));
    tables.streams.putSync([stream, revision], sequence);
  }
  tables.heads.putSync(stream, revision);
  return { revision, position: positionOf(sequence) };
};

/** The result that the same append got before, when its events stand where it would have them. */
const repeatedResult = (tables: EventTables, append: Append): AppendResult | undefined => {
  const first = firstRevision(append);
  const sequences = append.events.map((_, index) => tables.streams.get([append.stream, first + index]));
  const last = sequences.at(-1);
  if (last === undefined) return undefined;
  const same = append.events.every((event, index) => storedId(tables, sequences[index]) === event.id);
  return same ? { revision: first + append.events.length - 1, position: positionOf(last) } : undefined;
};

const storedId = ({ events }: EventTables, sequence: number | undefined): string | undefined => {
  const text = sequence === undefined ? undefined : events.get(sequence);
  return text === undefined || sequence === undefined ? undefined : recordedEvent(text, sequence).id;
};
