import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { AccessEntry, AccessLog } from '@roomwire/shared/ports/accessLog';
import { minuteOf } from '@roomwire/shared/wire/accessPlaces';
import { clampedLimit } from '../http/clampedLimit.js';
import { sessionRoute, type ResourceDeps, type Route } from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import {
  accessPageSchema,
  accessQuerySchema,
  exampleAccessPage,
  presentAccess,
  type AccessQuery,
} from './resource.js';

export interface AccessLogDeps {
  readonly accessLog: Pick<AccessLog, 'find'>;
}

export const accessLogRoutes = (deps: AccessLogDeps & Pick<ResourceDeps, 'commands'>): readonly Route[] => [
  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/access-log',
    operationId: 'listRefusedCalls',
    tag: 'Audit',
    summary: 'List calls that were refused to known callers, the newest minute first',
    query: accessQuerySchema,
    status: 200,
    answer: accessPageSchema,
    example: { answer: exampleAccessPage },
    rejections: ['organization_not_found'],
    async handle(request) {
      const { organizationId } = await organizationOf(deps.commands, request);
      const { query } = request;
      const limit = clampedLimit(query.limit ?? 50, 100);
      const { entries, next } = await findAccess(deps.accessLog, organizationId, query, limit);
      return { data: entries.map(presentAccess), nextCursor: next };
    },
  }),
];

const mostExamined = limitTable.accessLogExamined.value;
const atOnce = 500;
const minuteMs = 60_000;

const findAccess = async (
  log: Pick<AccessLog, 'find'>,
  organizationId: string,
  query: AccessQuery,
  limit: number,
): Promise<{ readonly entries: readonly AccessEntry[]; readonly next: string | null }> => {
  const { cursor } = query;
  const [from, to] = [timeOf(query.from), timeOf(query.to)];
  const entries: AccessEntry[] = [];
  const after = from === undefined ? undefined : minuteOf(from);
  const end = to === undefined ? undefined : minuteOf(to + minuteMs);
  let before = cursor !== undefined && (end === undefined || cursor < end) ? cursor : end;
  for (let examined = 0; examined < mostExamined; examined += atOnce) {
    const found = await log.find({ organizationId, after, before, limit: atOnce });
    for (const entry of found) {
      before = entry.place;
      if (isAsked(entry, query, from, to)) entries.push(entry);
      if (entries.length === limit) return { entries, next: before };
    }
    if (found.length < atOnce) return { entries, next: null };
  }
  return { entries, next: before ?? null };
};

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

const isAsked = (
  entry: AccessEntry,
  { projectId, principal, reason }: AccessQuery,
  from = Number.NEGATIVE_INFINITY,
  to = Number.POSITIVE_INFINITY,
): boolean =>
  (projectId === undefined || entry.projectId === projectId.toLowerCase()) &&
  (principal === undefined || entry.principal === principal) &&
  (reason === undefined || entry.reason === reason) &&
  entry.at >= from &&
  entry.at <= to;
