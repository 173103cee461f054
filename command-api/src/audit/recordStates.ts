import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { placeOf } from '@roomwire/shared/ports/auditIndex';
import type { CreateViewFold, ViewFold } from '@roomwire/shared/ports/viewFold';
import { differences, type Difference, type Json } from './differences.js';
import type { PastRecord } from './pastRecord.js';

/** A record as it was, undefined when it was not there, and what made it so. */
export interface RecordState {
  readonly record: Json | undefined;
  /** The last event that changed it; undefined before there was any. */
  readonly lastChange: RecordedEvent | undefined;
}

export interface AttributedDifference extends Difference {
  readonly change: RecordedEvent;
}

export const stateAt = (createFold: CreateViewFold, past: PastRecord): RecordState => {
  const fold = createFold();
  let lastChange: RecordedEvent | undefined;
  for (const event of past.events) if (step(fold, past, event).length > 0) lastChange = event;
  return { record: recordIn(fold, past), lastChange };
};

/** `past` is the record until the later time; `from`, the earlier one, is in milliseconds since 1970. */
export const differencesSince = (
  createFold: CreateViewFold,
  past: PastRecord,
  from: number,
): readonly AttributedDifference[] => {
  const earlier = past.events.filter((event) => placeOf(event).time <= from);
  const before = stateAt(createFold, { ...past, events: earlier }).record;
  const fold = createFold();
  const lastChanges = new Map<string, RecordedEvent>();
  for (const event of past.events)
    for (const { path } of step(fold, past, event)) lastChanges.set(path, event);
  return differences(before, recordIn(fold, past)).map((difference) => ({
    ...difference,
    change: changeOf(difference.path, lastChanges, past.events),
  }));
};

/** What an event has changed of the record. */
const step = (fold: ViewFold, past: PastRecord, event: RecordedEvent): readonly Difference[] => {
  const before = recordIn(fold, past);
  fold.apply(event);
  return differences(before, recordIn(fold, past));
};

/** Of the field, or of one that it is in: the last one wins. */
const changeOf = (
  path: string,
  lastChanges: ReadonlyMap<string, RecordedEvent>,
  events: readonly RecordedEvent[],
): RecordedEvent => {
  let latest: RecordedEvent | undefined;
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const change = lastChanges.get(path.slice(0, end));
    if (change && (latest === undefined || change.position > latest.position)) latest = change;
  }
  return latest ?? (events.at(-1) as RecordedEvent);
};

/** Of no use to whoever reads a history, or not for their eyes. */
const withheld: ReadonlySet<string> = new Set(['createdPosition', 'secretHash', 'sealedSecret']);

export const withoutSecrets = (fields: object): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !withheld.has(name)));

const recordIn = (fold: ViewFold, { view, id }: PastRecord): Json | undefined => {
  const found = fold.get(view, id);
  return found && withoutSecrets(found);
};
