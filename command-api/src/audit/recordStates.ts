import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { auditPositionOf } from '@roomwire/shared/ports/auditIndex';
import type { CreateViewFold } from '@roomwire/shared/ports/viewStore';
import { workSlices } from '@roomwire/shared/runtime/workSlices';
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

export const stateAt = async (createFold: CreateViewFold, past: PastRecord): Promise<RecordState> => {
  let lastChange: RecordedEvent | undefined;
  const record = await foldRecord(createFold, past, (event, before, after) => {
    if (isChange(before, after)) lastChange = event;
  });
  return { record, lastChange };
};

/** `past` is the record until the later time; `from`, the earlier one, is in milliseconds since 1970. */
export const differencesSince = async (
  createFold: CreateViewFold,
  past: PastRecord,
  from: number,
): Promise<readonly AttributedDifference[]> => {
  const earlier = past.events.filter((event) => auditPositionOf(event).time <= from);
  const before = await foldRecord(createFold, { ...past, events: earlier });
  const found = differences(before, await foldRecord(createFold, past));
  const places = placesOf(found);
  const lastChanges = new Map<string, RecordedEvent>();
  if (found.length > 0)
    await foldRecord(createFold, past, (event, was, is) => {
      for (const { path } of differences(was, is, places)) lastChanges.set(path, event);
    });
  return found.map((difference) => ({
    ...difference,
    change: changeOf(difference.path, lastChanges, past.events),
  }));
};

/**
 * The record after its events. `onTouched` gets it before and after each event that put or patched it: fields that the event did
 * not set are the same objects in both, so that comparing costs no more than the event is large.
 */
const foldRecord = async (
  createFold: CreateViewFold,
  { view, id, events }: PastRecord,
  onTouched?: (event: RecordedEvent, before: Json | undefined, after: Json | undefined) => void,
): Promise<Json | undefined> => {
  const fold = createFold();
  const slices = workSlices();
  let document: object | undefined;
  let record: Json | undefined;
  for (const event of events) {
    if (slices.isOver()) await slices.next();
    fold.apply(event);
    const touched = fold.get(view, id);
    if (touched === document) continue;
    const before = record;
    document = touched;
    record = touched && withoutSecrets(touched);
    onTouched?.(event, before, record);
  }
  return record;
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

/**
 * Compares field by field, into objects but not into lists. A record that does not exist has no fields. With `places`, only
 * what has one of these paths.
 */
export const differences = (
  before: Json = {},
  after: Json = {},
  places?: ReadonlySet<string>,
): readonly Difference[] => {
  const found: Difference[] = [];
  const compare = (one: Json, other: Json, path: string, depth: number): void => {
    for (const name of namesIn(one, other)) {
      const [was, is] = [own(one, name), own(other, name)];
      if (was === is) continue;
      const fieldPath = `${path}/${escaped(name)}`;
      if (places?.has(fieldPath) === false) continue;
      if (depth < deepest && isObject(was) && isObject(is)) compare(was, is, fieldPath, depth + 1);
      else if (!isSame(was, is)) found.push({ path: fieldPath, before: was, after: is });
    }
  };
  compare(before, after, '', 1);
  return found;
};

/** The paths of the differences, and of the objects that contain them. */
const placesOf = (found: readonly Difference[]): ReadonlySet<string> => {
  const places = new Set<string>();
  for (const { path } of found)
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) places.add(path.slice(0, end));
  return places;
};

const isChange = (before: Json = {}, after: Json = {}): boolean => {
  for (const name of namesIn(before, after)) if (!isSame(own(before, name), own(after, name))) return true;
  return false;
};

function* namesIn(one: Json, other: Json): Iterable<string> {
  yield* Object.keys(one);
  for (const name of Object.keys(other)) if (!Object.hasOwn(one, name)) yield name;
}

const own = (fields: Json, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Both values were JSON in the log. Ends at the first difference. */
const isSame = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isSame(value, other[at]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
};

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
