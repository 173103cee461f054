import { Encoder, decode } from '@msgpack/msgpack';
import { bytes, constant, count, described, integer, oneOf, text, tuple, union } from '../schema.js';
import type { Channel } from './channel.js';
import { named, roomField, versionField } from './recordCodec.js';

/** Identifies a connection's presence in a room, and the record. */
interface PresenceRecord {
  readonly gatewayId: string;
  /** Counts the gateway's records from 1, over all rooms. */
  readonly sequence: number;
  /** Of the gateway. */
  readonly connection: number;
  /** Internal: project, app, scope, room. */
  readonly room: string;
  readonly actorTokenId: string;
}

export interface PresencePut extends PresenceRecord {
  /** The connection's first announcement in the room, another one, or one that is repeated for gateways that missed it. */
  readonly kind: 'enter' | 'change' | 'again';
  /** A MessagePack map, as the client sent it. */
  readonly presence: Uint8Array;
  /** Since when the actor has been present, Unix seconds. */
  readonly joinedAt: number;
  /** Of several connections of an actor the one with the highest rank shows; see `ActorPresence`. */
  readonly rank: number;
}

export interface PresenceLeave extends PresenceRecord {
  readonly kind: 'leave';
}

/** A record of a gateway about one of its connections. */
export type PresenceNews = PresencePut | PresenceLeave;

const version = 1;

const from = [named('gatewayId', text), named('sequence', count), named('connection', count)] as const;
const of = [named('room', roomField), named('actorTokenId', text)] as const;

const leaveRecord = tuple(versionField(version), named('kind', constant('leave')), ...from, ...of);
const putRecord = tuple(
  versionField(version),
  named('kind', oneOf('enter', 'change', 'again')),
  ...from,
  ...of,
  named('presence', described('A map, MessagePack', bytes)),
  named('joinedAt', described('Unix seconds', integer)),
  named('rank', integer),
);
export const presenceNewsRecord = union(leaveRecord, putRecord);

const encoder = new Encoder();

const encodePresenceNews = (news: PresenceNews): Uint8Array => {
  const { kind, gatewayId, sequence, connection, room, actorTokenId } = news;
  const common = [version, kind, gatewayId, sequence, connection, room, actorTokenId];
  return encoder.encode(
    news.kind === 'leave' ? common : [...common, news.presence, news.joinedAt, news.rank],
  );
};

/** Throws for an unknown record, which the reader skips. */
const decodePresenceNews = (bytes: Uint8Array): PresenceNews => {
  const record = decode(bytes);
  if (!presenceNewsRecord.is(record)) throw new Error('Not presence news of a known version');
  const [, , gatewayId, sequence, connection, room, actorTokenId] = record;
  const common = { gatewayId, sequence, connection, room, actorTokenId };
  if (record[1] === 'leave') return { kind: 'leave', ...common };
  const [, kind, , , , , , presence, joinedAt, rank] = record;
  return { kind, ...common, presence, joinedAt, rank };
};

/** Keyed by room, so that every gateway sees the comings and goings of a room in the same order. */
export const presenceNews: Channel<PresenceNews> = {
  name: 'presence',
  key: (news) => news.room,
  codec: { encode: encodePresenceNews, decode: decodePresenceNews },
};
