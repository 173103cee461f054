import type { Buffer } from 'node:buffer';
import { messageHead } from '@roomwire/shared/contracts/protocol/serverFrames';
import { admits } from '@roomwire/shared/domain/rooms/admission';
import { internalRoom, internalTopic, parseTopicAddress } from '@roomwire/shared/domain/topic';
import type { Identity } from '../session/identity.js';
import type { Directory, Place } from './directory.js';

/** What an actor may do at an address, worked out once. */
export interface TopicAccess {
  /** Internal. */
  readonly room: string;
  /** Internal. */
  readonly topic: string;
  readonly mayPublish: boolean;
  readonly maySubscribe: boolean;
  /** How each `message` from this address begins. */
  readonly messageHead: Buffer;
  readonly place: Place;
}

export const isCurrent = ({ place }: TopicAccess): boolean => place.app.isCurrent && place.room.isCurrent;

/** A promise only where the read models have to be asked; undefined for what does not exist. */
export const resolveAccess = (
  directory: Directory,
  identity: Identity,
  address: string,
): TopicAccess | undefined | Promise<TopicAccess | undefined> => {
  const parts = parseTopicAddress(address);
  if (parts === undefined) return undefined;
  const place = directory.place(identity.projectId, parts.app, parts.room);
  const access = (found: Place | undefined) => found && accessTo(identity, address, parts.topic, found);
  return place instanceof Promise ? place.then(access) : access(place);
};

const accessTo = (identity: Identity, address: string, topicName: string, place: Place): TopicAccess => {
  const { actorType, projectId, scope } = identity;
  const app = place.app.value;
  const room = place.room.value;
  const internal = internalRoom(projectId, scope, app.slug, room.slug);
  return {
    room: internal,
    topic: internalTopic(internal, topicName),
    mayPublish: admits(app, room, { actorType, action: 'publish', topic: topicName }),
    maySubscribe: admits(app, room, { actorType, action: 'subscribe', topic: topicName }),
    messageHead: messageHead(address),
    place,
  };
};
