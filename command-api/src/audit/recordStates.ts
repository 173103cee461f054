import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { auditPositionOf } from '@roomwire/shared/ports/auditIndex';
import type { CreateViewFold, ViewFold } from '@roomwire/shared/ports/viewStore';
import type { PastRecord } from './auditReads.js';

/** A record as it was, undefined when it did not exist, and its last change. */
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
  const earlier = past.events.filter((event) => auditPositionOf(event).time <= from);
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

/** The changes that an event made to the record. */
const step = (fold: ViewFold, past: PastRecord, event: RecordedEvent): readonly Difference[] => {
  const before = recordIn(fold, past);
  fold.apply(event);
  return differences(before, recordIn(fold, past));
};

/** The last change of the field or of an object that contains it. */
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

/** Fields that are internal, or secret. */
const withheld: ReadonlySet<string> = new Set(['createdPosition', 'secretHash', 'sealedSecret']);

export const withoutSecrets = (fields: object): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !withheld.has(name)));

const recordIn = (fold: ViewFold, { view, id }: PastRecord): Json | undefined => {
  const found = fold.get(view, id);
  return found && withoutSecrets(found);
};

export type Json = Readonly<Record<string, unknown>>;

/** A field whose value differs. */
export interface Difference {
  /** JSON Pointer. */
  readonly path: string;
  /** Undefined where the field did not exist. */
  readonly before: unknown;
  /** Undefined where the field no longer exists. */
  readonly after: unknown;
}

/** Deeper objects are compared as a whole. */
const deepest = 16;

/** Compares field by field, into objects but not into lists. A record that does not exist has no fields. */
export const differences = (before: Json = {}, after: Json = {}): readonly Difference[] => {
  const found: Difference[] = [];
  const compare = (one: Json, other: Json, path: string, depth: number): void => {
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const [was, is] = [own(one, name), own(other, name)];
      const fieldPath = `${path}/${escaped(name)}`;
      if (depth < deepest && isObject(was) && isObject(is)) compare(was, is, fieldPath, depth + 1);
      else if (!isSame(was, is)) found.push({ path: fieldPath, before: was, after: is });
    }
  };
  compare(before, after, '', 1);
  return found;
};

const own = (fields: Json, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Both values were JSON in the log, so that equal ones have one text. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
