import { Encoder, decode } from '@msgpack/msgpack';
import {
  bytes,
  described,
  listOf,
  orNull,
  text,
  textOrNull,
  tuple,
  type Schema,
  type TypeOf,
} from '../schema.js';
import type { Place } from '../protocol/position.js';
import {
  traceHeader,
  type Channel,
  type HeaderCarrier,
  type RecordVersions,
  type TraceParent,
} from './channel.js';
import { keptFrom, keptHeader, keptText, type KeptMeta } from './keptMeta.js';
import { qos, type Qos } from '../protocol/messageOptions.js';
import { named, roomField, versionField } from './recordCodec.js';

export type { KeptMeta } from './keptMeta.js';

/** The retention fields of a message that becomes the retained value of its topic. */
export interface RetainedMeta {
  /** Orders the retained messages of a topic as text, the newest last; no two have the same. */
  readonly stamp: string;
  readonly appId: string;
  readonly roomId: string;
  /** Null outside of every scope. */
  readonly accessScopeId: string | null;
}

/** A published message on its way from the publisher's gateway to those with subscribers. */
export interface LiveMessage {
  /** Its own, over all gateways and their restarts; see `messageId.ts`. */
  readonly id: string;
  /** Internal: project, app, scope, room. */
  readonly room: string;
  /** Internal: the room and the topic name. */
  readonly topic: string;
  readonly projectId: string;
  /** `actorTokenId` of the publisher, which gets its own message only where it has asked for it; empty for a backend. */
  readonly publisher: string;
  readonly qos: Qos;
  /** Every filter value that the publish carried, empty for none. */
  readonly filters: readonly string[];
  /** The complete `message` for the subscribers, MessagePack; encoded once, on the publisher's gateway. */
  readonly body: Uint8Array;
  /** Undefined for a message that is not retained. */
  readonly retention: RetainedMeta | undefined;
  /** Absent, or undefined, for a message that is not kept. */
  readonly kept?: KeptMeta | undefined;
  /** Where it stands in the record, as far as its reader knows; it is not on the wire. */
  readonly place?: Place | undefined;
  /** Of the publish. Absent, or undefined, where it is not traced. */
  readonly traceparent?: TraceParent | undefined;
}

/** A message that is its topic's retained value until a newer one arrives. */
export interface RetainedMessage extends LiveMessage {
  readonly retention: RetainedMeta;
}

const version = 2;
/** Of `messages`, `retained` and `recorded-…`, the commands of worker groups on `messages` among them. */
const versions: RecordVersions = { newest: version, previous: version };

const retentionRecord = named('retention', tuple(text, text, text, textOrNull));
type RetainedMetaRecord = TypeOf<typeof retentionRecord>;

const recordWith = <R>(retained: Schema<R>) =>
  tuple(
    versionField(version),
    named('room', roomField),
    named('topic', described('The room and the topic name', text)),
    named('projectId', text),
    named('publisher', described('Does not get it, unless it has asked for that; empty for a backend', text)),
    named('qos', qos),
    named('filters', listOf(text)),
    named('body', described('The complete `message` of the socket, MessagePack', bytes)),
    retained,
    named('id', text),
  );
export const liveMessageRecord = recordWith(orNull(retentionRecord));
export const retainedMessageRecord = recordWith(retentionRecord);

const encoder = new Encoder();

const encodeLiveMessage = (message: LiveMessage): Uint8Array => {
  const { id, room, topic, projectId, publisher, qos, filters, body, retention } = message;
  const retained = retention === undefined ? null : positionsOf(retention);
  return encoder.encode([version, room, topic, projectId, publisher, qos, filters, body, retained, id]);
};

const positionsOf = ({ stamp, appId, roomId, accessScopeId }: RetainedMeta): RetainedMetaRecord => [
  stamp,
  appId,
  roomId,
  accessScopeId,
];

/** Throws for an unknown record, which the reader skips. */
const decodeLiveMessage = (bytes: Uint8Array): LiveMessage => {
  const record = decode(bytes);
  if (!liveMessageRecord.is(record)) throw new Error('Not a live message of a known version');
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
    retention: retained ? retainedMetaOf(retained) : undefined,
  };
};

const retainedMetaOf = ([stamp, appId, roomId, accessScopeId]: RetainedMetaRecord): RetainedMeta => ({
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

const keptIn = <M extends LiveMessage>(): HeaderCarrier<M> => ({
  header: keptHeader,
  of: ({ kept }) => kept && keptText(kept),
  onto: (message, text) => ({ ...message, kept: keptFrom(text) }),
});

/** Keyed by room, so that all subscribers of a topic see the same order. */
export const liveMessages: Channel<LiveMessage> = {
  name: 'messages',
  key: (message) => message.room,
  codec: { versions, encode: encodeLiveMessage, decode: decodeLiveMessage },
  carried: [
    {
      header: traceHeader,
      of: ({ traceparent }) => traceparent,
      onto: (message, traceparent) => ({ ...message, traceparent }),
    },
    keptIn(),
  ],
};

/** The retained ones once more, for every gateway: also for those that have no subscriber in the room yet. */
export const retainedMessages: Channel<RetainedMessage> = {
  name: 'retained',
  key: (message) => message.room,
  codec: { versions, encode: encodeLiveMessage, decode: decodeRetained },
  carried: [keptIn()],
};
