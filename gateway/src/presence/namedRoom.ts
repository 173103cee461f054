import type { Stay } from './stay.js';

/**
 * [WS-PRES-16] The room that a `roomId` names among those in which a connection is or counts. Nothing is read for it: leaving
 * must not depend on what can be looked up, nor on rights.
 */
export const namedRoom = (stays: Iterable<Stay>, roomId: string): string | undefined => {
  const slug = roomId.slice(roomId.indexOf('/') + 1);
  let asked: string | undefined;
  const named = new Set<string>();
  for (const stay of stays) {
    const { room } = stay.access;
    if (stay.roomId === roomId) asked = room;
    // Most rooms are told apart without being taken to pieces.
    else if (room.endsWith(slug) && isNamed(room, roomId)) named.add(room);
  }
  if (asked !== undefined) return asked;
  const [only] = named;
  return named.size === 1 ? only : undefined;
};

const isNamed = (internal: string, roomId: string): boolean => {
  const [, app, , room] = internal.split('/');
  return roomId === room || roomId === `${app}/${room}`;
};
