import type { ActorType } from './actor.js';
import type { App } from './app.js';
import { hasGrants, webRtcTopics, type Grant, type Room, type RoomGrants } from './room.js';

/** Who asks, and for which topic of the room. */
export interface AdmissionRequest {
  readonly actorTokenId: string;
  readonly actorType: ActorType;
  readonly topic: string;
}

export interface Admission {
  readonly mayPublish: boolean;
  readonly maySubscribe: boolean;
  /** Milliseconds since 1970 before which it holds; infinity when no grant limits it. */
  readonly until: number;
}

/** The reason for an admission. */
export type AdmissionRule =
  | 'app_inactive'
  | 'room_inactive'
  | 'topic_not_exposed'
  | 'access_mode_private'
  | 'grant_missing'
  | 'grant_inactive'
  | 'grant_other_topics'
  | 'grant'
  | 'open';

export interface JudgedAdmission {
  readonly admission: Admission;
  readonly rule: AdmissionRule;
  /** The one that decided. */
  readonly grant?: Grant;
}

const refused: Admission = { mayPublish: false, maySubscribe: false, until: Number.POSITIVE_INFINITY };

/** What an actor may do on a topic of a room. 'Missing' and 'not allowed' get the same answer, so that nothing leaks. */
export const admission = (app: App, room: Room, grants: RoomGrants, request: AdmissionRequest): Admission =>
  judgeAdmission(app, room, grants, request).admission;

/** The same with the rule that decides, for those who may know it. */
export const judgeAdmission = (
  app: App,
  room: Room,
  grants: RoomGrants,
  request: AdmissionRequest,
): JudgedAdmission => {
  const refuse = (rule: AdmissionRule, grant?: Grant): JudgedAdmission => ({
    admission: refused,
    rule,
    ...(grant && { grant }),
  });
  const closed = closedRule(app, room, request.topic);
  if (closed !== undefined) return refuse(closed);
  if (!hasGrants(grants) && app.config.accessMode !== 'private')
    return { admission: limited(request, 'pubSub', Number.POSITIVE_INFINITY), rule: 'open' };
  const grant = decidingGrant(grants, request);
  if (grant === undefined) return refuse(hasGrants(grants) ? 'grant_missing' : 'access_mode_private');
  if (!grant.isActive) return refuse('grant_inactive', grant);
  if (!covers(grant, request.topic)) return refuse('grant_other_topics', grant);
  return { admission: limited(request, grant.permission, expiryOf(grant)), rule: 'grant', grant };
};

/** Why a topic is closed to all; undefined for one that is not. */
export const closedRule = (
  app: App,
  room: Room,
  topic: string,
): 'app_inactive' | 'room_inactive' | 'topic_not_exposed' | undefined => {
  if (app.status !== 'active') return 'app_inactive';
  if (room.status !== 'active') return 'room_inactive';
  return exposesTopic(app, room, topic) ? undefined : 'topic_not_exposed';
};

/** What a backend may do: it needs no grants. */
export const backendAdmission = (app: App, room: Room, topic: string): Admission =>
  closedRule(app, room, topic) === undefined
    ? { mayPublish: true, maySubscribe: true, until: Number.POSITIVE_INFINITY }
    : refused;

/** What an observer of the console may do: it needs no grants, and publishes nothing. */
export const observerAdmission = (app: App, room: Room, topic: string): Admission => ({
  ...backendAdmission(app, room, topic),
  mayPublish: false,
});

/** The actor's own grant takes precedence in any state, so that one actor can be denied what its type may do. */
const decidingGrant = (
  { ofActors, ofTypes }: RoomGrants,
  { actorTokenId, actorType }: AdmissionRequest,
): Grant | undefined => ofActors.get(actorTokenId) ?? ofTypes.get(actorType);

/** An empty list of topics narrows nothing, like that of a room. */
const covers = ({ topics }: Grant, topic: string): boolean =>
  topics === null || topics.length === 0 || topics.includes(topic);

const limited = (
  { actorType }: AdmissionRequest,
  permission: Grant['permission'],
  until: number,
): Admission => ({
  mayPublish: permission !== 'subscribe' && actorType !== 'observer',
  maySubscribe: permission !== 'publish',
  until,
});

const expiryOf = ({ expiresAt }: Grant): number =>
  expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);

/** A topic must be configured on the app to be usable in a room, except for the WebRTC topics, which belong to the room. */
export const exposesTopic = (app: App, room: Room, topic: string): boolean =>
  room.topics.includes(topic) &&
  (app.topics.includes(topic) || (webRtcTopics as readonly string[]).includes(topic));
