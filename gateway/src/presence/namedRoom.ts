import type { Stay } from './stay.js';

/**
 * [WS-PRES-16] The room that a `roomId` names among those in which a connection is or counts. Nothing is read for it: leaving
 * must not depend on what can be looked up, nor on rights.
 */
export const namedRoom = (stays: readonly Stay[], roomId: string): string | undefined => {
  const asked = stays.findLast((stay) => stay.roomId === roomId);
  if (asked !== undefined) return asked.access.room;
  const slug = roomId.slice(roomId.lastIndexOf('/') + 1);
  // Only these few are taken to pieces.
  const alike = stays.filter(({ access }) => access.room.endsWith(slug));
  const rooms = new Set(alike.filter((stay) => isNamed(stay, roomId)).map(({ access }) => access.room));
  const [only] = rooms;
  return rooms.size === 1 ? only : undefined;
};

const isNamed = ({ access }: Stay, roomId: string): boolean => {
  const [, app, , room] = access.room.split('/');
  return roomId === room || roomId === `${app}/${room}`;
};
