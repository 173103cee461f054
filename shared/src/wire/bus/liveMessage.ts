import { Encoder, decode } from '@msgpack/msgpack';
import type { Channel, TraceParent } from './channel.js';
import type { Qos } from '../protocol/messageOptions.js';

/** What makes a message the last value of its topic. */
export interface Retention {
  /** Orders the retained messages of a topic as text, the newest last; no two have the same. */
  readonly stamp: string;
  readonly appId: string;
  readonly roomId: string;
  /** Null outside of every scope. */
  readonly accessScopeId: string | null;
}

/** A published message on its way from the gateway that took it to those that have subscribers. */
export interface LiveMessage {
  /** Its own, over all gateways and their restarts; see `MessageIds`. */
  readonly id: string;
  /** Internal: project, app, scope, room. */
  readonly room: string;
  /** Internal: the room and the topic name. */
  readonly topic: string;
  readonly projectId: string;
  /** `actorTokenId` of the publisher, which must not get its own message on any connection. */
  readonly publisher: string;
  readonly qos: Qos;
  /** Every filter value that the publish carried, empty for none. */
  readonly filters: readonly string[];
  /** The complete `message` for the subscribers, MessagePack; encoded once, where it came in. */
  readonly body: Uint8Array;
  /** Undefined for a message that is not retained. */
  readonly retention: Retention | undefined;
  /** Of the publish. Absent, or undefined, where it is not traced. */
  readonly traceparent?: TraceParent | undefined;
}

/** A message that is its topic's last value until a newer one comes. */
export interface RetainedMessage extends LiveMessage {
  readonly retention: Retention;
}

const version = 2;

const encoder = new Encoder();

const encodeLiveMessage = (message: LiveMessage): Uint8Array => {
  const { id, room, topic, projectId, publisher, qos, filters, body, retention } = message;
  const retained = retention === undefined ? null : retentionRecord(retention);
  return encoder.encode([version, room, topic, projectId, publisher, qos, filters, body, retained, id]);
};

const retentionRecord = ({ stamp, appId, roomId, accessScopeId }: Retention): RetentionRecord => [
  stamp,
  appId,
  roomId,
  accessScopeId,
];

/** Throws for a record that this program does not know: the reader passes it over. */
const decodeLiveMessage = (bytes: Uint8Array): LiveMessage => {
  const record = decode(bytes);
  if (!isRecord(record)) throw new Error('Not a live message of a known version');
  const [, room, topic, projectId, publisher, qos, filters, body, retained, id] = record;
  return {
    id,
    room,
    topic,
    projectId,
    publisher,
    qos,
    filters,
    body,
    retention: retained ? retentionOf(retained) : undefined,
  };
};

const retentionOf = ([stamp, appId, roomId, accessScopeId]: RetentionRecord): Retention => ({
  stamp,
  appId,
  roomId,
  accessScopeId,
});

const decodeRetained = (bytes: Uint8Array): RetainedMessage => {
  const message = decodeLiveMessage(bytes);
  const { retention } = message;
  if (retention === undefined) throw new Error('Not a retained message');
  return { ...message, retention };
};

type RetentionRecord = [stamp: string, appId: string, roomId: string, accessScopeId: string | null];

type LiveMessageRecord = [
  version: typeof version,
  room: string,
  topic: string,
  projectId: string,
  publisher: string,
  qos: Qos,
  filters: string[],
  body: Uint8Array,
  retention: RetentionRecord | null,
  id: string,
];

const isRecord = (value: unknown): value is LiveMessageRecord =>
  Array.isArray(value) &&
  value[0] === version &&
  typeof value[9] === 'string' &&
  value.slice(1, 5).every((part) => typeof part === 'string') &&
  [0, 1, 2].includes(value[5] as number) &&
  Array.isArray(value[6]) &&
  value[6].every((filter) => typeof filter === 'string') &&
  value[7] instanceof Uint8Array &&
  (value[8] === null || isRetentionRecord(value[8]));

const isRetentionRecord = (value: unknown): value is RetentionRecord =>
  Array.isArray(value) &&
  value.slice(0, 3).every((part) => typeof part === 'string') &&
  value.length === 4 &&
  (value[3] === null || typeof value[3] === 'string');

/** Keyed by room, so that all subscribers of a topic see the same order. */
export const liveMessages: Channel<LiveMessage> = {
  name: 'messages',
  key: (message) => message.room,
  codec: { encode: encodeLiveMessage, decode: decodeLiveMessage },
  trace: {
    of: ({ traceparent }) => traceparent,
    onto: (message, traceparent) => ({ ...message, traceparent }),
  },
};

/** The retained ones once more, for every gateway: also for those that have no subscriber in the room yet. */
export const retainedMessages: Channel<RetainedMessage> = {
  name: 'retained',
  key: (message) => message.room,
  codec: { encode: encodeLiveMessage, decode: decodeRetained },
};
