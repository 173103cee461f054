import type { ActorType } from '../actors/actor.js';
import type { App } from '../apps/app.js';
import type { Grant } from './grant.js';
import { webRtcTopics, type Room } from './room.js';
import { hasGrants, type RoomGrants } from './roomGrants.js';

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

const refused: Admission = { mayPublish: false, maySubscribe: false, until: Number.POSITIVE_INFINITY };

/** What an actor may do on a topic of a room. One answer for 'missing' and 'not allowed', so that nothing leaks. */
export const admission = (app: App, room: Room, grants: RoomGrants, request: AdmissionRequest): Admission => {
  const isThere = app.status === 'active' && room.status === 'active';
  if (!isThere || !exposesTopic(app, room, request.topic)) return refused;
  const isPrivate = hasGrants(grants) || app.config.accessMode === 'private';
  if (!isPrivate) return limited(request, 'pubSub', Number.POSITIVE_INFINITY);
  const grant = decidingGrant(grants, request);
  if (grant === undefined || !grant.isActive || !covers(grant, request.topic)) return refused;
  return limited(request, grant.permission, expiryOf(grant));
};

/** The actor's own grant speaks for it in whatever state it is, so that one actor can be kept from what its type may. */
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

/** A topic must be on the app to be usable in a room, but for the WebRTC ones, which the room itself brings. */
const exposesTopic = (app: App, room: Room, topic: string): boolean =>
  room.topics.includes(topic) &&
  (app.topics.includes(topic) || (webRtcTopics as readonly string[]).includes(topic));
