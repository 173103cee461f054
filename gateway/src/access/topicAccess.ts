import type { Buffer } from 'node:buffer';
import { messageHead } from '@roomwire/shared/wire/protocol/encodeFrames';
import { admission, backendAdmission, type Admission } from '@roomwire/shared/domain/admission';
import type { App } from '@roomwire/shared/domain/app';
import type { HistoryTopic } from '@roomwire/shared/ports/history';
import type { KeptMeta } from '@roomwire/shared/wire/bus/liveMessage';
import { historyOf, type HistoryBounds } from '@roomwire/shared/domain/topicHistory';
import type { RetentionClass } from '@roomwire/shared/wire/bus/recordedMessages';
import { internalRoom, internalTopic, parseTopicAddress } from '@roomwire/shared/domain/topic';
import { webhooksOf, retentionOf, type TopicWebhooks } from '../policy/topicConfig.js';
import type { Author, Identity } from './client.js';
import type { Directory, GrantedRoom, RoomLocation } from './directory.js';

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
  /** What is kept of its messages; undefined for a topic without history. */
  readonly history: TopicRecord | undefined;
  readonly location: RoomLocation;
  /** Undefined for a topic without webhooks. */
  readonly webhooks: TopicWebhooks | undefined;
}

/** The record of a topic with history. */
export interface TopicRecord {
  readonly topic: HistoryTopic;
  readonly bounds: HistoryBounds;
  /** What its messages carry. */
  readonly kept: KeptMeta;
}

export const isCurrent = ({ location }: TopicAccess): boolean =>
  location.app.isCurrent && location.room.isCurrent;

export type Resolved = TopicAccess | undefined | Promise<TopicAccess | undefined>;

type Admit = (app: App, room: GrantedRoom, topic: string) => Admission;

/** Returns a promise only where the read models have to be queried; undefined for a topic that does not exist. */
export const resolveAccess = (directory: Directory, identity: Identity, address: string): Resolved => {
  const { actorTokenId, actorType } = identity;
  return resolve(directory, identity, address, (app, room, topic) =>
    admission(app, room, room.grants, { actorTokenId, actorType, topic }),
  );
};

/** The same for a backend. */
export const resolveBackendAccess = (directory: Directory, author: Author, address: string): Resolved =>
  resolve(directory, author, address, backendAdmission);

const resolve = (directory: Directory, author: Author, address: string, admit: Admit): Resolved => {
  const parts = parseTopicAddress(address);
  if (parts === undefined) return undefined;
  const location = directory.locate(author.projectId, parts.app, parts.room);
  const access = (found: RoomLocation | undefined) =>
    found && accessTo(author, address, parts.topic, found, admit);
  return location instanceof Promise ? location.then(access) : access(location);
};

const accessTo = (
  { projectId, scope, accessScope }: Author,
  address: string,
  topic: string,
  location: RoomLocation,
  admit: Admit,
): TopicAccess => {
  const app = location.app.value;
  const room = location.room.value;
  const internal = internalRoom(projectId, scope, app.slug, room.slug);
  return {
    room: internal,
    topic: internalTopic(internal, topic),
    ...admit(app, room, topic),
    scope,
    messageHead: messageHead(address),
    recordedFor: retentionOf(app.topicConfigs, topic),
    history: recordOf(app, {
      room: internal,
      roomId: room.roomId,
      accessScopeId: accessScope?.accessScopeId ?? null,
      name: topic,
    }),
    location,
    webhooks: webhooksOf(app, topic),
  };
};

const recordOf = ({ appId, topicConfigs }: App, topic: HistoryTopic): TopicRecord | undefined => {
  const bounds = historyOf(topicConfigs, topic.name);
  const { roomId, accessScopeId } = topic;
  return bounds && { topic, bounds, kept: { appId, roomId, accessScopeId, ...bounds } };
};
