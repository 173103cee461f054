import { Buffer } from 'node:buffer';
import { Encoder } from '@msgpack/msgpack';
import { binaryFrame } from './encodeFrames.js';
import type { PresenceEvent } from './serverFrames.js';

/** An entry of a presence list. */
export interface PresenceEntry {
  readonly actorTokenId: string;
  /** A MessagePack map, forwarded unchanged. */
  readonly presence: Uint8Array;
  /** Unix seconds. */
  readonly joinedAt: number;
}

/** Already MessagePack. */
type Parts = readonly Uint8Array[];

const encoder = new Encoder();

/** Sizes that do not fit into the first byte take two or four more. */
const head = (size: number, short: number, medium: number): Buffer => {
  if (size < 16) return Buffer.of(short + size);
  if (size < 65_536) return Buffer.of(medium, size >> 8, size & 0xff);
  const long = Buffer.of(medium + 1, 0, 0, 0, 0);
  long.writeUInt32BE(size, 1);
  return long;
};

const array = (items: readonly Parts[]): Parts => [head(items.length, 0x90, 0xdc), ...items.flat()];

const map = (fields: readonly (readonly [name: string, value: Parts])[]): Parts => [
  head(fields.length, 0x80, 0xde),
  ...fields.flatMap(([name, value]) => [encoder.encode(name), ...value]),
];

const value = (plain: string | number): Parts => [encoder.encode(plain)];

const frame = (fields: Parameters<typeof map>[0]): Buffer => binaryFrame(Buffer.concat(map(fields)));

const emptyMap: Parts = [Uint8Array.of(0x80)];

const entry = ({ actorTokenId, presence, joinedAt }: PresenceEntry): Parts =>
  map([
    ['actorTokenId', value(actorTokenId)],
    ['presence', [presence]],
    ['joinedAt', value(joinedAt)],
  ]);

export interface RoomHappening {
  readonly event: PresenceEvent;
  readonly actorTokenId: string;
  /** Undefined for a leave. */
  readonly presence: Uint8Array | undefined;
}

/** Absent where nobody needs it. */
const room = (roomId: string | undefined): Parameters<typeof map>[0] =>
  roomId === undefined ? [] : [['roomId', value(roomId)]];

/** For the other actors in a room. The complete WebSocket frame, like all here. */
export const presenceFrame = ({ event, actorTokenId, presence }: RoomHappening, roomId?: string): Buffer => {
  const actor = ['actor_token_id', value(actorTokenId)] as const;
  return frame([
    ['type', value('presence')],
    ['event', value(event)],
    ...room(roomId),
    ['data', map(presence === undefined ? [actor] : [actor, ['presence', [presence]]])],
  ]);
};

export const presenceCountFrame = (roomId: string, present: number): Buffer =>
  frame([['type', value('presenceCount')], ...room(roomId), ['present', value(present)]]);

/** Without a `roomId` when the request had none. */
export const presenceListFrame = (roomId: string | undefined, entries: readonly PresenceEntry[]): Buffer =>
  frame([['type', value('presenceList')], ...room(roomId), ['data', array(entries.map(entry))]]);

/** What an entry has beside the `presence`: two names, an id and a time. */
const otherBytesOfEntry = 80;

/** At least what the entries take in a list. */
export const presenceListBytes = (entries: readonly PresenceEntry[]): number =>
  entries.reduce((sum, { presence }) => sum + presence.length + otherBytesOfEntry, 0);

/** Who is present in the rooms of a lobby, encoded piece by piece. */
export class LobbySnapshot {
  private readonly pieces: Buffer[] = [];
  private rooms = 0;
  private size = 0;

  /** Its members follow, one after another. */
  room(slug: string, members: number): void {
    this.rooms++;
    this.add([...value(slug), head(members, 0x80, 0xde)]);
  }

  members(entries: readonly PresenceEntry[]): void {
    this.add(entries.flatMap((one) => [...value(one.actorTokenId), ...entry(one)]));
  }

  get bytes(): number {
    return this.size;
  }

  frame(type: 'lobbySubscribed' | 'lobbyPresenceList', lobbyId: string): Buffer {
    return frame([
      ['type', value(type)],
      ['lobbyId', value(lobbyId)],
      ['presence', [head(this.rooms, 0x80, 0xde), ...this.pieces]],
    ]);
  }

  private add(parts: Parts): void {
    const piece = Buffer.concat(parts);
    this.size += piece.length;
    this.pieces.push(piece);
  }
}

export interface LobbyHappening {
  readonly event: PresenceEvent;
  readonly lobbyId: string;
  /** The room's slug. */
  readonly roomId: string;
  readonly actorId: string;
  /** Undefined for a leave. */
  readonly presence: Uint8Array | undefined;
}

export const lobbyPresenceFrame = (happening: LobbyHappening): Buffer => {
  const { event, lobbyId, roomId, actorId, presence } = happening;
  return frame([
    ['type', value('lobbyPresence')],
    ['event', value(event)],
    ['lobbyId', value(lobbyId)],
    ['roomId', value(roomId)],
    ['actorId', value(actorId)],
    ['data', presence === undefined ? emptyMap : [presence]],
  ]);
};
