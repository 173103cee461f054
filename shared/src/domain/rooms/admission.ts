import type { ActorType } from '../actors/actor.js';
import type { App } from '../apps/app.js';
import { webRtcTopics, type Room } from './room.js';

export type TopicAction = 'subscribe' | 'publish';

export interface AdmissionRequest {
  readonly actorType: ActorType;
  readonly action: TopicAction;
  readonly topic: string;
}

/** Whether an actor may use a topic of a room. One answer for 'missing' and 'not allowed', so that nothing leaks. */
export const admits = (app: App, room: Room, request: AdmissionRequest): boolean =>
  app.status === 'active' &&
  room.status === 'active' &&
  exposesTopic(app, room, request.topic) &&
  !(request.actorType === 'observer' && request.action === 'publish') &&
  app.config.accessMode !== 'private';

/** A topic must be on the app to be usable in a room, but for the WebRTC ones, which the room itself brings. */
const exposesTopic = (app: App, room: Room, topic: string): boolean =>
  room.topics.includes(topic) &&
  (app.topics.includes(topic) || (webRtcTopics as readonly string[]).includes(topic));
