import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import type { ViewName, Views } from '@roomwire/shared/wire/views/views';
import { forEachInSlices, workSlices } from '@roomwire/shared/runtime/workSlices';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { auditPositionOf, type AuditEntry, type AuditPosition } from '@roomwire/shared/ports/auditIndex';
import { type AuditDeps, HistoryBudget, longestHistory, pastRecord } from '../audit/auditReads.js';
import { stateAt } from '../audit/recordStates.js';
import { Rejection } from '../handling/rejections.js';

/** A record as it was, undefined when it did not exist, and its last change. */
export interface Past<T> {
  readonly value: T | undefined;
  readonly event: RecordedEvent | undefined;
}

/** The records of an organization as they were at a time, in milliseconds since 1970. */
export interface PastRecords {
  readonly get: <V extends ViewName>(view: V, id: string) => Promise<Past<Views[V]>>;
  /** Of the records that have ever had the slug, the one that had it then. */
  readonly named: <V extends 'apps' | 'rooms'>(view: V, key: string, slug: string) => Promise<Past<Views[V]>>;
  /** The id of the record that was created with this key. */
  readonly idOf: (view: ViewName, key: string) => Promise<string | undefined>;
  readonly grantsOf: (roomId: string) => Promise<readonly Past<Views['grants']>[]>;
}

/** How many records that have had a slug in turn are examined. */
const mostNamesakes = 50;

export const pastRecords = (deps: AuditDeps, organizationId: string, time: number): PastRecords => {
  const { auditIndex, createFold } = deps;
  const budget = new HistoryBudget();
  const newest = (key: string, limit: number): Promise<readonly AuditEntry[]> =>
    auditIndex.find({ organizationId, key, to: time, order: 'newest first', limit });

  const get = async <V extends ViewName>(view: V, id: string): Promise<Past<Views[V]>> => {
    const past = await pastRecord(auditIndex, organizationId, id, time, budget);
    if (past?.view !== view) return { value: undefined, event: undefined };
    const { record, lastChange } = await stateAt(createFold, past);
    return { value: record as Views[V] | undefined, event: lastChange };
  };

  const named: PastRecords['named'] = async (view, key, slug) => {
    const ids = new Set((await newest(key, mostNamesakes)).flatMap((entry) => idsIn(entry, view)));
    let last: RecordedEvent | undefined;
    for (const id of ids) {
      const past = await get(view, id);
      if (past.value?.slug === slug) return past;
      last ??= past.event;
    }
    return { value: undefined, event: last };
  };

  const idOf: PastRecords['idOf'] = async (view, key) => {
    const found = await auditIndex.find({ organizationId, key, order: 'oldest first', limit: 1 });
    return found.flatMap((entry) => idsIn(entry, view))[0];
  };

  const grantsOf: PastRecords['grantsOf'] = async (roomId) => {
    const events = await grantEvents(deps, organizationId, roomId, time, budget);
    const fold = createFold();
    await forEachInSlices(events, workSlices(), (event) => fold.apply(event));
    const made = new Map(events.map((event) => [grantIdOf(event), event] as const));
    return fold
      .find('grants', { roomId })
      .map((value) => ({ value, event: made.get(value.roomActorAccessId) }));
  };
  return { get, named, idOf, grantsOf };
};

/** Reads each record once, for those who ask for many actors. */
export const readOnce = (records: PastRecords): PastRecords => {
  const reads = new Map<string, Promise<unknown>>();
  const once = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const known = reads.get(key) ?? read();
    reads.set(key, known);
    return known as Promise<T>;
  };
  return {
    get: (view, id) => once(`${view} ${id}`, () => records.get(view, id)),
    named: (view, key, slug) => once(`named ${key}`, () => records.named(view, key, slug)),
    idOf: (view, key) => once(`id ${view} ${key}`, () => records.idOf(view, key)),
    grantsOf: (roomId) => once(`grants ${roomId}`, () => records.grantsOf(roomId)),
  };
};

const idsIn = ({ changed }: AuditEntry, view: ViewName): string[] =>
  changed.filter((each) => each.view === view).map(({ id }) => id);

const grantIdOf = ({ data }: RecordedEvent): string =>
  (data as { readonly roomActorAccessId: string }).roomActorAccessId;

const grantEvents = async (
  { auditIndex }: AuditDeps,
  organizationId: string,
  roomId: string,
  to: number,
  budget: HistoryBudget,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  let after: AuditPosition | undefined;
  for (let examined = 0; ;) {
    const found = await auditIndex.find({
      ...{ organizationId, key: auditKeys.resource(roomId), to, after },
      ...{ order: 'oldest first', limit: 500 },
    });
    const last = found.at(-1);
    if (last === undefined) return events.sort((a, b) => (a.position < b.position ? -1 : 1));
    events.push(...found.filter((entry) => idsIn(entry, 'grants').length > 0).map(({ event }) => event));
    after = auditPositionOf(last.event);
    for (const { event } of found) budget.take(event, roomId);
    examined += found.length;
    if (examined > longestHistory)
      throw new Rejection('history_too_long', { resourceId: roomId, events: longestHistory });
  }
};
