import { Encoder, decode } from '@msgpack/msgpack';
import { bytes, constant, count, described, integer, listOf, oneOf, text, tuple, union } from '../schema.js';
import type { Channel, RecordVersions } from './channel.js';
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
export type PresenceChange = PresencePut | PresenceLeave;

/** What an account says of one connection. */
export type AccountedPresence = Pick<
  PresencePut,
  'connection' | 'actorTokenId' | 'presence' | 'joinedAt' | 'rank'
>;

/** Presences of a gateway in one room, for the gateways that asked for an account. It has no number of its own among the changes. */
export interface PresenceAccount {
  readonly kind: 'account';
  readonly gatewayId: string;
  /** The gateways that asked. All others pass it over. */
  readonly to: readonly string[];
  /** Counts the gateway's accounts from 1. */
  readonly account: number;
  /** Counts the records of the account from 1. */
  readonly part: number;
  /** The number that the gateway's next change had when the account began. */
  readonly from: number;
  /** Internal. */
  readonly room: string;
  /** Encoded, so that those who pass it over do not decode them: see `accountedPresences`. */
  readonly presences: Uint8Array;
}

export type PresenceNews = PresenceChange | PresenceAccount;

/** Of changes. */
const version = 1;
/** Of accounts, which the previous release does not read. */
export const accountVersion = 2;

const versions: RecordVersions = { newest: accountVersion, previous: version };

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
const accountRecord = tuple(
  versionField(accountVersion),
  named('kind', constant('account')),
  named('gatewayId', text),
  named('to', listOf(text)),
  named('account', count),
  named('part', count),
  named('from', count),
  named('room', roomField),
  named(
    'presences',
    described('A list of connection, actorTokenId, presence, joinedAt, rank; MessagePack', bytes),
  ),
);
export const presenceNewsRecord = union(leaveRecord, putRecord, accountRecord);

const accountedList = listOf(tuple(count, text, bytes, integer, integer));

const encoder = new Encoder();

/** For `presences` of an account. */
export const encodeAccounted = (presences: readonly AccountedPresence[]): Uint8Array =>
  encoder.encode(
    presences.map(({ connection, actorTokenId, presence, joinedAt, rank }) => [
      connection,
      actorTokenId,
      presence,
      joinedAt,
      rank,
    ]),
  );

/** Throws for what `encodeAccounted` does not write. */
export const accountedPresences = ({ presences }: PresenceAccount): readonly AccountedPresence[] => {
  const list = decode(presences);
  if (!accountedList.is(list)) throw new Error('Not presences of an account');
  return list.map(([connection, actorTokenId, presence, joinedAt, rank]) => ({
    connection,
    actorTokenId,
    presence,
    joinedAt,
    rank,
  }));
};

const encodePresenceNews = (news: PresenceNews): Uint8Array => {
  if (news.kind === 'account') {
    const { kind, gatewayId, to, account, part, from, room, presences } = news;
    return encoder.encode([accountVersion, kind, gatewayId, to, account, part, from, room, presences]);
  }
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
  if (record[1] === 'account') {
    const [, kind, gatewayId, to, account, part, from, room, presences] = record;
    return { kind, gatewayId, to, account, part, from, room, presences };
  }
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
  codec: { versions, encode: encodePresenceNews, decode: decodePresenceNews },
};
