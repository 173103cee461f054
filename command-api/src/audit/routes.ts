import { clampedLimit } from '../http/clampedLimit.js';
import { Rejection } from '../handling/rejections.js';
import {
  sessionRoute,
  type ApiRequest,
  type Route,
  type SessionCaller,
  type ResourceDeps,
} from '../http/route.js';
import { normalTime } from '../http/schema.js';
import { organizationOf } from '../organizations/resource.js';
import {
  diffSchema,
  exampleDifferences,
  exampleHistory,
  exampleState,
  historySchema,
  stateSchema,
  presentDifferences,
  presentEntry,
  presentState,
  cursorOf,
  diffQuerySchema,
  historyQuerySchema,
  placeOfCursor,
  stateQuerySchema,
  type HistoryQuery,
} from './resource.js';
import { upToDate, type AuditDeps, findEntries, pastRecord, type PastRecord } from './auditReads.js';
import type { InTurn } from './readTurns.js';
import { differencesSince, stateAt } from './recordStates.js';

type Request<Query> = ApiRequest<SessionCaller, undefined, Query>;

export const auditRoutes = (
  deps: AuditDeps & Pick<ResourceDeps, 'commands'>,
  inTurn: InTurn,
): readonly Route[] => {
  const organizationIdOf = async (request: Request<unknown>): Promise<string> => {
    const { organizationId } = await organizationOf(deps.commands, request);
    await upToDate(deps);
    return organizationId;
  };

  /** Reads the events of a record, and what is asked of them. */
  const ofRecord = async <T>(
    request: Request<{ readonly resourceId: string }>,
    until: string,
    answer: (past: PastRecord) => Promise<T>,
  ): Promise<T> => {
    const resourceId = request.query.resourceId.toLowerCase();
    const organizationId = await organizationIdOf(request);
    return inTurn(organizationId, async () => {
      const past = await pastRecord(deps.auditIndex, organizationId, resourceId, Date.parse(until));
      if (past === undefined) throw new Rejection('resource_not_found', { resourceId });
      return answer(past);
    });
  };

  return [
    sessionRoute({
      method: 'get',
      path: '/organizations/{orgId}/audit',
      operationId: 'listAuditEvents',
      tag: 'Audit',
      summary: 'List the events of the organization, newest first',
      query: historyQuerySchema,
      status: 200,
      answer: historySchema,
      example: { answer: exampleHistory },
      rejections: ['organization_not_found'],
      async handle(request) {
        const organizationId = await organizationIdOf(request);
        const { query } = request;
        const limit = clampedLimit(query.limit ?? 50, 100);
        const after = query.cursor === undefined ? undefined : placeOfCursor(query.cursor);
        const { entries, next } = await findEntries(deps.auditIndex, organizationId, filterOf(query), {
          after,
          limit,
        });
        return { data: entries.map(presentEntry), nextCursor: next ? cursorOf(next) : null };
      },
    }),

    sessionRoute({
      method: 'get',
      path: '/organizations/{orgId}/audit/state',
      operationId: 'getPastState',
      tag: 'Audit',
      summary: 'Get a record as it was at a past time',
      query: stateQuerySchema,
      status: 200,
      answer: stateSchema,
      example: { answer: exampleState },
      rejections: [
        'organization_not_found',
        'resource_not_found',
        'history_too_long',
        'history_too_large',
        'too_many_past_reads',
      ],
      async handle(request) {
        const at = normalTime(request.query.at ?? request.now);
        return ofRecord(request, at, async (past) =>
          presentState(past, at, await stateAt(deps.createFold, past)),
        );
      },
    }),

    sessionRoute({
      method: 'get',
      path: '/organizations/{orgId}/audit/diff',
      operationId: 'getPastDifferences',
      tag: 'Audit',
      summary: 'Get the changes of a record between two times, field by field, with their principal and time',
      query: diffQuerySchema,
      status: 200,
      answer: diffSchema,
      example: { answer: exampleDifferences },
      rejections: [
        'organization_not_found',
        'resource_not_found',
        'history_too_long',
        'history_too_large',
        'too_many_past_reads',
        'times_reversed',
      ],
      async handle(request) {
        const from = normalTime(request.query.from);
        const to = normalTime(request.query.to ?? request.now);
        if (from > to) throw new Rejection('times_reversed', {});
        return ofRecord(request, to, async (past) => {
          const found = await differencesSince(deps.createFold, past, Date.parse(from));
          return presentDifferences(past, { from, to }, found);
        });
      },
    }),
  ];
};

const filterOf = ({ projectId, resourceId, type, principal, from, to }: HistoryQuery) => ({
  projectId: projectId?.toLowerCase(),
  resourceId: resourceId?.toLowerCase(),
  ...{ type, principal },
  from: from === undefined ? undefined : Date.parse(from),
  to: to === undefined ? undefined : Date.parse(to),
});
