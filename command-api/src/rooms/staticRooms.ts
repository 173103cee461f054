import { Buffer } from 'node:buffer';
import type { Room, RoomChanges, RoomEvent, RoomFields } from '@roomwire/shared/domain/room';
import { changedFields } from '../handling/writeModel.js';

interface Rooms {
  readonly byId: ReadonlyMap<string, Room>;
  readonly idBySlug: ReadonlyMap<string, string>;
}

/**
 * The events that make the given rooms the static rooms of an app. A static room that stays keeps its id, its
 * status and its grants; a dynamic room stays as it is, even where it has the slug of a static one.
 */
export const staticRoomChanges = (
  rooms: Rooms,
  appId: string,
  wanted: readonly RoomFields[],
): readonly RoomEvent[] => {
  const slugs = new Set(wanted.map(({ slug }) => slug));
  const removed = [...rooms.byId.values()]
    .filter((room) => isStatic(room) && !slugs.has(room.slug))
    .map(({ roomId }): RoomEvent => ({ type: 'RoomDeleted', data: { appId, roomId } }));
  return [...removed, ...wanted.flatMap((room) => placing(room, existingRoom(rooms, room.slug)))];
};

const isStatic = (room: Room): boolean => room.origin === 'blueprint';

const existingRoom = ({ byId, idBySlug }: Rooms, slug: string): Room | undefined =>
  byId.get(idBySlug.get(slug) ?? '');

const placing = (wanted: RoomFields, room: Room | undefined): readonly RoomEvent[] => {
  if (room === undefined) return [{ type: 'RoomCreated', data: wanted }];
  if (!isStatic(room)) return [];
  const { name, description, topics, metadata } = wanted;
  const changes = changedFields<Room, RoomChanges>(room, { name, description, topics, metadata });
  const { appId, roomId } = room;
  return changes ? [{ type: 'RoomUpdated', data: { appId, roomId, changes } }] : [];
};

/** An append of any event log accepts this much and one event more (EventStoreDB: 1 MiB in all). */
const partBytes = 256 * 1024;
/** For the type and the metadata of an event. */
const envelopeBytes = 1024;

/** The first of the events, as many as fit into one append. */
export const firstPart = (events: readonly RoomEvent[]): readonly RoomEvent[] => {
  let bytes = 0;
  const end = events.findIndex((event) => {
    const fits = bytes <= partBytes;
    bytes += Buffer.byteLength(JSON.stringify(event.data)) + envelopeBytes;
    return !fits;
  });
  return end === -1 ? events : events.slice(0, end);
};
