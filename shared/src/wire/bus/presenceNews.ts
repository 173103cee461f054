import { Encoder, decode } from '@msgpack/msgpack';
import type { Channel } from './channel.js';
import { isText } from './recordCodec.js';

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

const encoder = new Encoder();

const encodePresenceNews = (news: PresenceNews): Uint8Array => {
  const { kind, gatewayId, sequence, connection, room, actorTokenId } = news;
  const common = [version, kind, gatewayId, sequence, connection, room, actorTokenId];
  return encoder.encode(
    news.kind === 'leave' ? common : [...common, news.presence, news.joinedAt, news.rank],
  );
};

/** Throws for a record that this program does not know: the reader passes it over. */
const decodePresenceNews = (bytes: Uint8Array): PresenceNews => {
  const record = decode(bytes);
  if (!isRecord(record)) throw new Error('Not presence news of a known version');
  const [, kind, gatewayId, sequence, connection, room, actorTokenId, presence, joinedAt, rank] = record;
  const common = { gatewayId, sequence, connection, room, actorTokenId };
  return kind === 'leave' ? { kind, ...common } : { kind, ...common, presence, joinedAt, rank };
};

type PresenceNewsRecord = [
  version: number,
  kind: PresenceNews['kind'],
  gatewayId: string,
  sequence: number,
  connection: number,
  room: string,
  actorTokenId: string,
  presence: Uint8Array,
  joinedAt: number,
  rank: number,
];

const isRecord = (value: unknown): value is PresenceNewsRecord =>
  Array.isArray(value) &&
  value[0] === version &&
  [value[2], value[5], value[6]].every(isText) &&
  [value[3], value[4]].every(Number.isInteger) &&
  (value[1] === 'leave' || (['enter', 'change', 'again'].includes(value[1] as string) && isPut(value)));

const isPut = (value: readonly unknown[]): boolean =>
  value[7] instanceof Uint8Array && [value[8], value[9]].every(Number.isInteger);

/** Keyed by room, so that every gateway sees the comings and goings of a room in the same order. */
export const presenceNews: Channel<PresenceNews> = {
  name: 'presence',
  key: (news) => news.room,
  codec: { encode: encodePresenceNews, decode: decodePresenceNews },
};
