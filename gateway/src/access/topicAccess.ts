import type { Buffer } from 'node:buffer';
import { messageHead } from '@roomwire/shared/wire/protocol/encodeFrames';
import { admission } from '@roomwire/shared/domain/admission';
import type { RetentionClass } from '@roomwire/shared/wire/bus/recordedMessages';
import { internalRoom, internalTopic, parseTopicAddress } from '@roomwire/shared/domain/topic';
import { webhooksOf, retentionOf, type TopicWebhooks } from '../policy/topicConfig.js';
import type { Identity } from './client.js';
import type { Directory, RoomLocation } from './directory.js';

/** What an actor may do at an address. */
export interface TopicAccess {
  /** Internal. */
  readonly room: string;
  /** Internal. */
  readonly topic: string;
  readonly mayPublish: boolean;
  readonly maySubscribe: boolean;
  /** When the rights expire, in milliseconds since 1970; infinity when no grant limits them. */
  readonly until: number;
  /** The scope for which the address was resolved. */
  readonly scope: string | null;
  /** The first bytes of each `message` from this address. */
  readonly messageHead: Buffer;
  /** How long messages of the topic are recorded, where messages are; undefined for a topic that is not logged. */
  readonly recordedFor: RetentionClass | undefined;
  readonly location: RoomLocation;
  /** Undefined for a topic without webhooks. */
  readonly webhooks: TopicWebhooks | undefined;
}

export const isCurrent = ({ location }: TopicAccess): boolean =>
  location.app.isCurrent && location.room.isCurrent;

/** Returns a promise only where the read models have to be queried; undefined for a topic that does not exist. */
export const resolveAccess = (
  directory: Directory,
  identity: Identity,
  address: string,
): TopicAccess | undefined | Promise<TopicAccess | undefined> => {
  const parts = parseTopicAddress(address);
  if (parts === undefined) return undefined;
  const location = directory.locate(identity.projectId, parts.app, parts.room);
  const access = (found: RoomLocation | undefined) =>
    found && accessTo(identity, address, parts.topic, found);
  return location instanceof Promise ? location.then(access) : access(location);
};

const accessTo = (
  identity: Identity,
  address: string,
  topic: string,
  location: RoomLocation,
): TopicAccess => {
  const { actorTokenId, actorType, projectId, scope } = identity;
  const app = location.app.value;
  const room = location.room.value;
  const internal = internalRoom(projectId, scope, app.slug, room.slug);
  return {
    room: internal,
    topic: internalTopic(internal, topic),
    ...admission(app, room, room.grants, { actorTokenId, actorType, topic }),
    scope,
    messageHead: messageHead(address),
    recordedFor: retentionOf(app.topicConfigs, topic),
    location,
    webhooks: webhooksOf(app, topic),
  };
};
