import { changeSchema, presentChange } from '../audit/resource.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import {
  described,
  eitherOrNull,
  flagSchema,
  oneOf,
  orNull,
  queryOf,
  record,
  text,
  textSchema,
  timeSchema,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';
import { actions, explainedRules, ruleTexts, type Explanation, type Question } from './explain.js';

export const explainQuerySchema = queryOf(
  {
    actor: text({ maxLength: 200, description: '`actorTokenId`, or the public `keyId`' }),
    address: text({ maxLength: 400, description: '`app-slug/room-slug/topic-name`' }),
    action: oneOf(actions),
    at: described(timeSchema, 'Now by default'),
  },
  ['actor', 'address', 'action'],
);

export const explanationSchema = record('Explanation', {
  actorTokenId: uuidSchema,
  address: textSchema,
  action: oneOf(actions),
  at: timeSchema,
  allowed: flagSchema,
  rule: oneOf(explainedRules),
  reason: textSchema,
  until: described(orNull(timeSchema), 'When the grant expires; null for never'),
  event: described(eitherOrNull(changeSchema), 'The last change of the decisive record'),
});

type ExplanationAnswer = ValueOf<typeof explanationSchema>;

export const presentExplanation = (
  { actorTokenId, address, action, time }: Question,
  { isAllowed, rule, event, until }: Explanation,
): ExplanationAnswer => ({
  ...{ actorTokenId, address, action },
  at: new Date(time).toISOString(),
  allowed: isAllowed,
  rule,
  reason: ruleTexts[rule],
  until: Number.isFinite(until) ? new Date(until).toISOString() : null,
  event: event ? presentChange(event) : null,
});

export const exampleExplanation: ExplanationAnswer = {
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
