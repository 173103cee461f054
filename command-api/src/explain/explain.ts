import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import {
  standingRule,
  type Standing,
  type StandingActor,
  type StandingRule,
} from '@roomwire/shared/domain/standing';
import type { Actor } from '@roomwire/shared/domain/actor';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { judgeAdmission, type AdmissionRule, type JudgedAdmission } from '@roomwire/shared/domain/admission';
import { roomGrants } from '@roomwire/shared/domain/room';
import { parseTopicAddress, type TopicAddress } from '@roomwire/shared/domain/topic';
import type { Views } from '@roomwire/shared/wire/views/views';
import type { Past, PastRecords } from './pastRecords.js';

export const actions = ['subscribe', 'publish'] as const;
export type Action = (typeof actions)[number];

export interface Question {
  readonly organizationId: string;
  readonly actorTokenId: string;
  readonly address: string;
  readonly action: Action;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export interface Explanation {
  readonly isAllowed: boolean;
  readonly rule: ExplainedRule;
  /** The last change of the record that was decisive; undefined where there is none. */
  readonly event: RecordedEvent | undefined;
  /** Until when it holds, in milliseconds since 1970; infinity when no grant limits it. */
  readonly until: number;
}

const denied = (rule: ExplainedRule, event: RecordedEvent | undefined): Explanation => ({
  isAllowed: false,
  rule,
  event,
  until: Number.POSITIVE_INFINITY,
});

/** Whom an explanation is of: an external actor has no record of its own. */
export type ExplainedActor = StandingActor & Pick<Actor, 'actorTokenId' | 'actorType'>;

/** What the gateways would have decided, by the same rules. */
export const explain = async (records: PastRecords, question: Question): Promise<Explanation> =>
  explainFor(records, question, await records.get('actors', question.actorTokenId));

/** The same for an actor as it was then. */
export const explainFor = async (
  records: PastRecords,
  question: Question,
  actor: Past<ExplainedActor>,
): Promise<Explanation> => {
  const standing = await standingIn(records, question, actor);
  if (standing !== undefined) return standing;
  const address = parseTopicAddress(question.address);
  if (actor.value === undefined || address === undefined) return denied('address_invalid', undefined);
  return explainAdmission(records, question, actor.value, address);
};

const nothing: Past<never> = { value: undefined, event: undefined };

const standingIn = async (
  records: PastRecords,
  { organizationId, time }: Question,
  actor: Past<StandingActor>,
): Promise<Explanation | undefined> => {
  const { projectId, accessScopeId = null } = actor.value ?? {};
  const project = projectId === undefined ? nothing : await records.get('projects', projectId);
  const organization = await records.get('organizations', organizationId);
  const scope = accessScopeId === null ? nothing : await records.get('scopes', accessScopeId);
  const rule = standingRule(valuesOf({ actor, project, organization, scope }), time);
  if (rule === undefined) return undefined;
  const decisive: { readonly [R in StandingRule]: Past<unknown> } = {
    ...{ actor_missing: actor, actor_disabled: actor, actor_expired: actor },
    ...{ project_missing: project, organization_suspended: organization, scope_inactive: scope },
  };
  return denied(rule, decisive[rule].event);
};

const valuesOf = (past: { readonly [K in keyof Standing]: Past<NonNullable<Standing[K]>> }): Standing => ({
  actor: past.actor.value,
  project: past.project.value,
  organization: past.organization.value,
  scope: past.scope.value,
});

const explainAdmission = async (
  records: PastRecords,
  { action, time }: Question,
  { projectId, actorTokenId, actorType }: ExplainedActor,
  address: TopicAddress,
): Promise<Explanation> => {
  const app = await records.named('apps', auditKeys.appSlug(projectId, address.app), address.app);
  if (app.value === undefined) return denied('app_missing', app.event);
  const room = await records.named('rooms', auditKeys.roomSlug(app.value.appId, address.room), address.room);
  if (room.value === undefined) return denied('room_missing', room.event);
  const grants = await records.grantsOf(room.value.roomId);
  const ofRoom = roomGrants(grants.map(({ value }) => value).filter((grant) => grant !== undefined));
  const request = { actorTokenId, actorType, topic: address.topic };
  const judged = judgeAdmission(app.value, room.value, ofRoom, request);
  const rule = ruleFor(judged, action, actorType, time);
  const { until } = judged.admission;
  return {
    isAllowed: rule === judged.rule && isGranted(judged, action),
    rule,
    until,
    event: eventOf(judged, { app, room, grants }),
  };
};

const isGranted = ({ admission }: JudgedAdmission, action: Action): boolean =>
  action === 'publish' ? admission.mayPublish : admission.maySubscribe;

/** An admission covers both actions and a time; this is the rule for one action at one time. */
const ruleFor = (
  judged: JudgedAdmission,
  action: Action,
  actorType: Actor['actorType'],
  time: number,
): ExplainedRule => {
  const { rule, admission } = judged;
  if (rule !== 'grant' && rule !== 'open') return rule;
  if (admission.until <= time) return 'grant_expired';
  if (isGranted(judged, action)) return rule;
  return action === 'publish' && actorType === 'observer' ? 'observer' : 'grant_other_action';
};

interface Looked {
  readonly app: Past<Views['apps']>;
  readonly room: Past<Views['rooms']>;
  readonly grants: readonly Past<Views['grants']>[];
}

/** The last change of the record that the rule is about. Where a grant is missing, that is the room's last grant. */
const eventOf = (
  { rule, grant }: JudgedAdmission,
  { app, room, grants }: Looked,
): RecordedEvent | undefined => {
  if (grant !== undefined)
    return grants.find(({ value }) => value?.roomActorAccessId === grant.roomActorAccessId)?.event;
  const ofApp: readonly AdmissionRule[] = ['app_inactive', 'access_mode_private'];
  if (rule === 'grant_missing') return grants.at(-1)?.event;
  return ofApp.includes(rule) ? app.event : room.event;
};

/** The rules of admission, and those that are checked before and after them. */
export type ExplainedRule =
  | StandingRule
  | AdmissionRule
  | 'address_invalid'
  | 'app_missing'
  | 'room_missing'
  | 'grant_expired'
  | 'grant_other_action'
  | 'observer';

/** The texts of answers. */
export const ruleTexts: { readonly [R in ExplainedRule]: string } = {
  actor_missing: 'The actor did not exist',
  actor_disabled: 'The actor was disabled',
  actor_expired: 'The actor had expired',
  project_missing: 'The project of the actor did not exist',
  organization_suspended: 'The organization was suspended',
  scope_inactive: 'The access scope of the actor was inactive, or did not exist',
  address_invalid: 'The address is invalid: it must be `app-slug/room-slug/topic-name`',
  app_missing: 'The project had no app with that slug',
  app_inactive: 'The app was not active',
  room_missing: 'The app had no room with that slug',
  room_inactive: 'The room was not active',
  topic_not_exposed: 'The topic was not a topic of both the app and the room',
  access_mode_private: 'The app was private and the room had no grants',
  grant_missing: 'The room had grants, but none for the actor or its type',
  grant_inactive: 'The grant of the actor, or of its type, was not active',
  grant_other_topics: 'The grant was for other topics',
  grant_expired: 'The grant had expired',
  grant_other_action: 'The grant was for the other action',
  observer: 'An observer must not publish',
  grant: 'The grant allowed it',
  open: 'The room was open: it had no grants',
};

export const explainedRules = Object.keys(ruleTexts) as readonly ExplainedRule[];
