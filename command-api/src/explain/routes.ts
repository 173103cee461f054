import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import { upToDate, type AuditDeps } from '../audit/auditReads.js';
import type { InTurn } from '../audit/readTurns.js';
import { Rejection } from '../handling/rejections.js';
import { actorKeyIdPattern, isUuid } from '../http/request.js';
import { type ResourceDeps, sessionRoute, type Route } from '../http/route.js';
import { normalTime } from '../http/schema.js';
import { organizationOf } from '../organizations/resource.js';
import { explain } from './explain.js';
import { pastRecords, type PastRecords } from './pastRecords.js';
import { exampleExplanation, explainQuerySchema, explanationSchema, presentExplanation } from './resource.js';

export const explainRoutes = (
  deps: AuditDeps & Pick<ResourceDeps, 'commands'>,
  inTurn: InTurn,
): readonly Route[] => [
  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/explain',
    operationId: 'explainAccess',
    tag: 'Audit',
    summary: 'Explain whether an actor may subscribe or publish at an address, now or at a past time',
    query: explainQuerySchema,
    status: 200,
    answer: explanationSchema,
    example: { answer: exampleExplanation },
    rejections: [
      'organization_not_found',
      'actor_not_found',
      'history_too_long',
      'history_too_large',
      'too_many_past_reads',
    ],
    async handle(request) {
      const { organizationId } = await organizationOf(deps.commands, request);
      await upToDate(deps);
      const { actor, address, action, at } = request.query;
      const time = Date.parse(normalTime(at ?? request.now));
      return inTurn(organizationId, async () => {
        const records = pastRecords(deps, organizationId, time);
        const actorTokenId = await actorIdOf(records, actor);
        if (actorTokenId === undefined) throw new Rejection('actor_not_found', { actorId: actor });
        const question = { organizationId, actorTokenId, address, action, time };
        return presentExplanation(question, await explain(records, question));
      });
    },
  }),
];

/** The id of an actor that the organization has or had. */
const actorIdOf = async (records: PastRecords, actor: string): Promise<string | undefined> => {
  if (isUuid(actor)) return records.idOf('actors', auditKeys.record(actor.toLowerCase()));
  return actorKeyIdPattern.test(actor) ? records.idOf('actors', auditKeys.actorKeyId(actor)) : undefined;
};
