import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import type { ViewName } from '@roomwire/shared/wire/views/views';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import {
  placeOf,
  type AuditEntry,
  type AuditIndex,
  type AuditPlace,
} from '@roomwire/shared/ports/auditIndex';
import { Rejection } from '../handling/rejections.js';

/** Everything that has made a record what it was at a time, in the order of the log. */
export interface PastRecord {
  readonly view: ViewName;
  readonly id: string;
  readonly events: readonly RecordedEvent[];
}

/** Past this the question is refused: nobody else should have to wait for one answer. */
export const longestHistory = 20_000;

const parentFields = ['projectId', 'appId', 'roomId'] as const;

/** Undefined for a record that has never been in the organization. `until`: milliseconds since 1970, inclusive. */
export const pastRecord = async (
  index: AuditIndex,
  organizationId: string,
  id: string,
  until: number,
): Promise<PastRecord | undefined> => {
  const own = await ownEntries(index, organizationId, id, until);
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
): Promise<AuditEntry[]> => {
  const own: AuditEntry[] = [];
  let after: AuditPlace | undefined;
  for (;;) {
    const found = await index.find({
      ...{ organizationId, key: auditKeys.record(id), to: until, after },
      ...{ order: 'oldest first', limit: 500 },
    });
    const last = found.at(-1);
    if (last === undefined) return own;
    own.push(...found);
    if (own.length > longestHistory)
      throw new Rejection('history_too_long', { resourceId: id, events: longestHistory });
    after = placeOf(last.event);
  }
};

/** Its first one at any time: the record is there, only later. */
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

/** A room goes with its app, an app with its project: there is no event of its own. */
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
