import { changeSchema, presentChange } from '../audit/resource.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { actions, explainedRules, ruleTexts, type Explanation, type Question } from './explain.js';
import * as s from '../http/schema.js';

export const explainQuerySchema = s.queryOf(
  {
    actor: s.text({ maxLength: 200, description: '`actorTokenId`, or the public `keyId`' }),
    address: s.text({ maxLength: 400, description: '`app-slug/room-slug/topic-name`' }),
    action: s.oneOf(actions),
    at: s.described(s.time, 'Now by default'),
  },
  ['actor', 'address', 'action'],
);

export const explanationSchema = s.titledObject('Explanation', {
  actorTokenId: s.uuid,
  address: s.text(),
  action: s.oneOf(actions),
  at: s.time,
  allowed: s.flag(),
  rule: s.oneOf(explainedRules),
  reason: s.text(),
  until: s.described(s.orNull(s.time), 'When the grant expires; null for never'),
  event: s.described(s.eitherOrNull(changeSchema), 'The last change of the decisive record'),
});

type ExplanationAnswer = s.ValueOf<typeof explanationSchema>;

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
