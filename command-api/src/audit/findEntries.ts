import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import {
  placeOf,
  type AuditEntry,
  type AuditIndex,
  type AuditPlace,
  type AuditRange,
} from '@roomwire/shared/ports/auditIndex';

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
  /** Where to go on; undefined when there is nothing more. */
  readonly next: AuditPlace | undefined;
}

/** Entries looked at for one answer: with several filters most of them may be none of what was asked for. */
const mostExamined = 2_000;
const atOnce = 200;

/**
 * Newest first. Looks through the entries of the narrowest key, and gives up after a while: a page may have fewer
 * entries than its limit, or none, and yet not be the last one.
 */
export const findEntries = async (
  index: AuditIndex,
  organizationId: string,
  filter: EntryFilter,
  page: { readonly after: AuditPlace | undefined; readonly limit: number },
): Promise<FoundEntries> => {
  const keys = keysOf(filter);
  const entries: AuditEntry[] = [];
  const range: AuditRange = {
    ...{ organizationId, key: keys[0], from: filter.from, to: filter.to },
    ...{ order: 'newest first', limit: keys.length > 1 ? atOnce : page.limit },
  };
  let after = page.after;
  for (let examined = 0; examined < mostExamined;) {
    const found = await index.find({ ...range, after });
    if (found.length === 0) return { entries, next: undefined };
    for (const entry of found) {
      after = placeOf(entry.event);
      if (keys.every((key) => entry.keys.includes(key))) entries.push(entry);
      if (entries.length === page.limit) return { entries, next: after };
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
