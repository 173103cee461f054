import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import {
  type AuditIndex,
  auditPositionOf,
  type AuditEntry,
  type AuditPosition,
  type AuditRange,
} from '@roomwire/shared/ports/auditIndex';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { CreateViewFold } from '@roomwire/shared/ports/viewStore';
import { roughSize } from '@roomwire/shared/runtime/roughSize';
import { forEachInSlices, workSlices } from '@roomwire/shared/runtime/workSlices';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import type { ViewName } from '@roomwire/shared/wire/views/views';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { Rejection } from '../handling/rejections.js';

/** What queries of the past are answered from. */
export interface AuditDeps {
  readonly log: Pick<EventLog, 'head'>;
  readonly auditIndex: AuditIndex;
  readonly createFold: CreateViewFold;
}

const patienceMs = 2_000;

/**
 * Resolves when the index holds everything that was answered before this query. Rejects while it is behind, for example
 * during a rebuild: an incomplete history would be a wrong answer.
 */
export const upToDate = async ({ log, auditIndex }: AuditDeps): Promise<void> => {
  const head = await log.head();
  if (head === undefined || (await auditIndex.reached(head, patienceMs))) return;
  throw new EngineUnavailable('audit index', { cause: new Error('It is behind the log') });
};

export interface EntryFilter {
  readonly projectId?: string | undefined;
  readonly resourceId?: string | undefined;
  readonly type?: string | undefined;
  readonly principal?: string | undefined;
  /** Milliseconds since 1970, the first and the last. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface FoundEntries {
  readonly entries: readonly AuditEntry[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: AuditPosition | undefined;
}

/** Entries examined for one answer: with several filters, most of them may not match. */
const mostExamined = limitTable.auditExamined.value;
const mostExaminedBytes = limitTable.auditExaminedBytes.value;
const atOnce = 200;

/**
 * Newest first. Reads the entries of the narrowest key and stops after a while, by their number or their size: a page may have
 * fewer entries than its limit, or none, without being the last one.
 */
export const findEntries = async (
  index: AuditIndex,
  organizationId: string,
  filter: EntryFilter,
  page: { readonly after: AuditPosition | undefined; readonly limit: number },
): Promise<FoundEntries> => {
  const keys = keysOf(filter);
  const entries: AuditEntry[] = [];
  const range: AuditRange = {
    ...{ organizationId, key: keys[0], from: filter.from, to: filter.to },
    ...{ order: 'newest first', limit: keys.length > 1 ? atOnce : page.limit },
  };
  const slices = workSlices();
  let after = page.after;
  let examinedBytes = 0;
  for (let examined = 0; examined < mostExamined && examinedBytes < mostExaminedBytes;) {
    const found = await index.find({ ...range, after });
    if (found.length === 0) return { entries, next: undefined };
    for (const entry of found) {
      if (slices.isOver()) await slices.next();
      after = auditPositionOf(entry.event);
      examinedBytes += roughSize(entry.event.data);
      if (keys.every((key) => entry.keys.includes(key))) entries.push(entry);
      if (entries.length === page.limit || examinedBytes >= mostExaminedBytes)
        return { entries, next: after };
    }
    examined += found.length;
  }
  return { entries, next: after };
};

/** The narrowest first. */
const keysOf = ({ projectId, resourceId, type, principal }: EntryFilter): readonly string[] => [
  ...(resourceId === undefined ? [] : [auditKeys.resource(resourceId)]),
  ...(principal === undefined ? [] : [auditKeys.principal(principal)]),
  ...(type === undefined ? [] : [auditKeys.type(type)]),
  ...(projectId === undefined ? [] : [auditKeys.project(projectId)]),
];

/** The events that determine a record at a time, in the order of the log. */
export interface PastRecord {
  readonly view: ViewName;
  readonly id: string;
  readonly events: readonly RecordedEvent[];
}

/** A longer history is rejected: other requests must not wait for one answer, and there must be memory for it. */
export const longestHistory = limitTable.historyEvents.value;

/** Counts what one request reads of the past. */
export class HistoryBudget {
  private bytes = 0;

  /** Throws once it is too much. */
  take({ data }: RecordedEvent, resourceId: string): void {
    this.bytes += roughSize(data);
    if (this.bytes > limitTable.historyBytes.value)
      throw new Rejection('history_too_large', {
        resourceId,
        mebibytes: limitTable.historyBytes.value / 2 ** 20,
      });
  }
}

/** An actor is the parent of the revocations of its tokens. */
const parentFields = ['projectId', 'appId', 'roomId', 'actorTokenId'] as const;

/** Undefined for a record that has never been in the organization. `until`: milliseconds since 1970, inclusive. */
export const pastRecord = async (
  index: AuditIndex,
  organizationId: string,
  id: string,
  until: number,
  budget = new HistoryBudget(),
): Promise<PastRecord | undefined> => {
  const own = await ownEntries(index, organizationId, id, until, budget);
  const first = own[0] ?? (await firstEntry(index, organizationId, id));
  const view = first?.changed.find((each) => each.id === id)?.view;
  if (view === undefined) return undefined;
  const removals = await removalsOfParents(index, organizationId, own, id, until);
  const events = [...own, ...removals].map(({ event }) => event);
  return { view, id, events: events.sort((a, b) => (a.position < b.position ? -1 : 1)) };
};

const ownEntries = async (
  index: AuditIndex,
  organizationId: string,
  id: string,
  until: number,
  budget: HistoryBudget,
): Promise<AuditEntry[]> => {
  const own: AuditEntry[] = [];
  const slices = workSlices();
  let after: AuditPosition | undefined;
  for (;;) {
    const found = await index.find({
      ...{ organizationId, key: auditKeys.record(id), to: until, after },
      ...{ order: 'oldest first', limit: 500 },
    });
    const last = found.at(-1);
    if (last === undefined) return own;
    own.push(...found);
    await forEachInSlices(found, slices, ({ event }) => budget.take(event, id));
    if (own.length > longestHistory)
      throw new Rejection('history_too_long', { resourceId: id, events: longestHistory });
    after = auditPositionOf(last.event);
  }
};

/** Its first entry at any time, for a record that was created later. */
const firstEntry = async (
  index: AuditIndex,
  organizationId: string,
  id: string,
): Promise<AuditEntry | undefined> => {
  const [first] = await index.find({
    ...{ organizationId, key: auditKeys.record(id) },
    ...{ order: 'oldest first', limit: 1 },
  });
  return first;
};

/** A room is removed with its app, an app with its project, without an event of its own. */
const removalsOfParents = async (
  index: AuditIndex,
  organizationId: string,
  own: readonly AuditEntry[],
  id: string,
  to: number,
): Promise<AuditEntry[]> => {
  const parents = new Set(own.flatMap(({ event }) => parentsOf(event)));
  parents.delete(id);
  const found = await Promise.all(
    [...parents].map((parent) =>
      index.find({
        ...{ organizationId, key: auditKeys.removal(parent), to },
        ...{ order: 'oldest first', limit: 1 },
      }),
    ),
  );
  return found.flat();
};

const parentsOf = ({ data, metadata: { projectId } }: RecordedEvent): string[] => {
  const fields = (data ?? {}) as Readonly<Record<string, unknown>>;
  return [projectId, ...parentFields.map((name) => fields[name])].filter((each) => typeof each === 'string');
};
