import type { Buffer } from 'node:buffer';
import { messageHead } from '@roomwire/shared/wire/protocol/encodeFrames';
import {
  backendAdmission,
  closedRule,
  judgeAdmission,
  observerAdmission,
  type Admission,
  type AdmissionRule,
} from '@roomwire/shared/domain/admission';
import type { App } from '@roomwire/shared/domain/app';
import type { CapabilityRight } from '@roomwire/shared/domain/capabilities';
import type { HistoryTopic } from '@roomwire/shared/ports/history';
import type { KeptMeta } from '@roomwire/shared/wire/bus/liveMessage';
import { historyOf, type HistoryBounds } from '@roomwire/shared/domain/topicHistory';
import type { RetentionClass } from '@roomwire/shared/wire/bus/recordedMessages';
import {
  internalRoom,
  internalTopic,
  parseTopicAddress,
  type TopicAddress,
} from '@roomwire/shared/domain/topic';
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
  /** Where there is one. */
  readonly mayReadHistory: boolean;
  /** By which it may subscribe, or may not. */
  readonly rule: AccessRule;
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

/** What decides whether somebody may subscribe: `grant_other_action` where a grant covers the topic, and not that. */
export type AccessRule = AdmissionRule | 'grant_other_action' | 'capability' | 'backend' | 'console';

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

type Rights = Admission & Pick<TopicAccess, 'mayReadHistory' | 'rule'>;
type Admit = (app: App, room: GrantedRoom, address: TopicAddress) => Rights;

/** Returns a promise only where the read models have to be queried; undefined for a topic that does not exist. */
export const resolveAccess = (directory: Directory, identity: Identity, address: string): Resolved =>
  resolve(directory, identity, address, admitAs(identity));

/** As far as it is cached; undefined for what is not. */
export const peekAccess = (
  directory: Pick<Directory, 'peek'>,
  identity: Identity,
  address: string,
): TopicAccess | undefined => {
  const parts = parseTopicAddress(address);
  const location = parts && directory.peek(identity.projectId, parts.app, parts.room);
  return location && accessTo(identity, address, parts, location, admitAs(identity));
};

/** The same for a backend. */
export const resolveBackendAccess = (directory: Directory, author: Author, address: string): Resolved =>
  resolve(directory, author, address, admitBackend);

const admitBackend: Admit = (app, room, { topic }) => {
  const rights = backendAdmission(app, room, topic);
  return { ...rights, mayReadHistory: rights.maySubscribe, rule: 'backend' };
};

/** [WS-OBS-2] */
const admitObserver: Admit = (app, room, { topic }) => {
  const rights = observerAdmission(app, room, topic);
  const rule = closedRule(app, room, topic) ?? 'console';
  return { ...rights, mayReadHistory: rights.maySubscribe, rule };
};

const admitAs = (identity: Identity): Admit => (identity.observes ? admitObserver : admitActor(identity));

const admitActor =
  ({ actorTokenId, actorType, capabilities }: Identity): Admit =>
  (app, room, address) => {
    const request = { actorTokenId, actorType, topic: address.topic };
    const { admission, rule } = judgeAdmission(app, room, room.grants, request);
    const isPermitted = rule !== 'grant' || admission.maySubscribe;
    const rights: Rights = {
      ...admission,
      mayReadHistory: admission.maySubscribe,
      rule: isPermitted ? rule : 'grant_other_action',
    };
    return capabilities === undefined ? rights : narrowed(rights, capabilities.at(address));
  };

/** [WS-CAP-2] */
const narrowed = (
  { mayPublish, maySubscribe, rule, until }: Rights,
  allowed: ReadonlySet<CapabilityRight>,
): Rights => {
  const subscribes = maySubscribe && allowed.has('subscribe');
  return {
    mayPublish: mayPublish && allowed.has('publish'),
    maySubscribe: subscribes,
    mayReadHistory: subscribes && allowed.has('history'),
    rule: maySubscribe && !subscribes ? 'capability' : rule,
    until,
  };
};

/** What an actor may do in a room that may be only assumed. */
export const rightsIn = (identity: Identity, app: App, room: GrantedRoom, address: TopicAddress): Rights =>
  admitAs(identity)(app, room, address);

const resolve = (directory: Directory, author: Author, address: string, admit: Admit): Resolved => {
  const parts = parseTopicAddress(address);
  if (parts === undefined) return undefined;
  const location = directory.locate(author.projectId, parts.app, parts.room);
  const access = (found: RoomLocation | undefined) => found && accessTo(author, address, parts, found, admit);
  return location instanceof Promise ? location.then(access) : access(location);
};

const accessTo = (
  { projectId, scope, accessScope }: Author,
  address: string,
  parts: TopicAddress,
  location: RoomLocation,
  admit: Admit,
): TopicAccess => {
  const { topic } = parts;
  const app = location.app.value;
  const room = location.room.value;
  const internal = internalRoom(projectId, scope, app.slug, room.slug);
  return {
    room: internal,
    topic: internalTopic(internal, topic),
    ...admit(app, room, parts),
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

/** For a publish that no webhook is to be told of. */
export const withoutWebhooks = (access: TopicAccess): TopicAccess =>
  access.webhooks === undefined ? access : { ...access, webhooks: undefined };
