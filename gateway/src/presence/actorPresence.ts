import { Buffer } from 'node:buffer';

/** One connection's presence in a room. */
export interface ConnectionPresence {
  readonly gatewayId: string;
  readonly connection: number;
  readonly room: string;
  readonly actorTokenId: string;
  /** A MessagePack map. */
  readonly presence: Uint8Array;
  /** Unix seconds. */
  readonly joinedAt: number;
  readonly rank: number;
}

/** The connections of an actor in a room, at least one. */
export type ActorPresence = readonly ConnectionPresence[];

/**
 * The announcement of highest rank is shown. A new one gets a rank above all known ones, so that the last is shown; where two
 * gateways took the same rank, all must choose the same one.
 */
export const shown = (connections: ActorPresence): ConnectionPresence =>
  connections.reduce((best, one) => (isAbove(one, best) ? one : best));

const isAbove = (one: ConnectionPresence, other: ConnectionPresence): boolean =>
  one.rank !== other.rank ? one.rank > other.rank : identity(one) > identity(other);

const identity = ({ gatewayId, connection }: ConnectionPresence): string => `${gatewayId}/${connection}`;

/** An actor is present since the first of its connections. */
export const presentSince = (connections: ActorPresence): number =>
  Math.min(...connections.map(({ joinedAt }) => joinedAt));

export const isSamePresence = (one: ConnectionPresence, other: ConnectionPresence): boolean =>
  Buffer.compare(one.presence, other.presence) === 0;
