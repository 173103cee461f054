import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import { upToDate, type AuditDeps } from '../audit/auditReads.js';
import { changeSchema, presentChange } from '../audit/resource.js';
import { Rejection } from '../handling/rejections.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { actorKeyIdPattern, isUuid } from '../http/request.js';
import { type ResourceDeps, sessionRoute, type Route } from '../http/route.js';
import { flagSchema, normalTime, record, textSchema, timeSchema, uuidSchema } from '../http/schema.js';
import { organizationOf } from '../organizations/resource.js';
import { actions, explain, type Action, type Explanation, type Question, ruleTexts } from './explain.js';
import { pastRecords, type PastRecords } from './pastRecords.js';

interface ExplainQuery {
  readonly actor: string;
  readonly address: string;
  readonly action: Action;
  readonly at?: string;
}

const querySchema = {
  type: 'object',
  properties: {
    actor: { type: 'string', maxLength: 200, description: '`actorTokenId`, or the public `keyId`' },
    address: { type: 'string', maxLength: 400, description: '`app-slug/room-slug/topic-name`' },
    action: { type: 'string', enum: [...actions] },
    at: { ...timeSchema, description: 'Now, unless told' },
  },
  required: ['actor', 'address', 'action'],
};

const answerSchema = record('Explanation', {
  actorTokenId: uuidSchema,
  address: textSchema,
  action: { type: 'string', enum: [...actions] },
  at: timeSchema,
  allowed: flagSchema,
  rule: { type: 'string', enum: Object.keys(ruleTexts) },
  reason: textSchema,
  until: { ...timeSchema, type: ['string', 'null'], description: 'When the grant ends; null for no end' },
  event: {
    oneOf: [changeSchema, { type: 'null' }],
    description: 'What made the record that decided what it was then',
  },
});

const present = (
  { actorTokenId, address, action, time }: Question,
  { isAllowed, rule, event, until }: Explanation,
) => ({
  ...{ actorTokenId, address, action },
  at: new Date(time).toISOString(),
  allowed: isAllowed,
  rule: rule as string,
  reason: ruleTexts[rule],
  until: Number.isFinite(until) ? new Date(until).toISOString() : null,
  event: event ? presentChange(event) : null,
});

const example: ReturnType<typeof present> = {
  actorTokenId: exampleIds.actorTokenId,
  address: 'support-desk/lobby/chat',
  action: 'publish',
  at: exampleTime,
  allowed: false,
  rule: 'grant_other_action',
  reason: ruleTexts.grant_other_action,
  until: null,
  event: {
    eventId: exampleIds.dlqId,
    type: 'RoomGrantAdded',
    occurredAt: exampleTime,
    principal: 'session:ada',
    requestId: 'req_7Yw2',
  },
};

export const explainRoutes = (deps: AuditDeps & Pick<ResourceDeps, 'commands'>): readonly Route[] => [
  sessionRoute<undefined, ExplainQuery>({
    method: 'get',
    path: '/organizations/{orgId}/explain',
    operationId: 'explainAccess',
    tag: 'Audit',
    summary: 'Get whether an actor may do something at an address, now or at a time, and why',
    query: querySchema,
    status: 200,
    answer: answerSchema,
    example: { answer: example },
    rejections: ['organization_not_found', 'actor_not_found', 'history_too_long'],
    async handle(request) {
      const { organizationId } = await organizationOf(deps.commands, request);
      await upToDate(deps);
      const { actor, address, action, at } = request.query;
      const time = Date.parse(normalTime(at ?? request.now));
      const records = pastRecords(deps, organizationId, time);
      const actorTokenId = await actorIdOf(records, actor);
      if (actorTokenId === undefined) throw new Rejection('actor_not_found', { actorId: actor });
      const question = { organizationId, actorTokenId, address, action, time };
      return present(question, await explain(records, question));
    },
  }),
];

/** Of an actor that the organization has or has had. */
const actorIdOf = async (records: PastRecords, actor: string): Promise<string | undefined> => {
  if (isUuid(actor)) return records.idOf('actors', auditKeys.record(actor.toLowerCase()));
  return actorKeyIdPattern.test(actor) ? records.idOf('actors', auditKeys.actorKeyId(actor)) : undefined;
};
