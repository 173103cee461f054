import { roomStatuses, type Room } from '@roomwire/shared/domain/room';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { findApp } from '../apps/resource.js';
import { Rejection } from '../handling/rejections.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pathValue, type ProjectRequest } from '../http/route.js';
import * as s from '../http/schema.js';

export type CreateRoomBody = s.ValueOf<typeof createRoomSchema>;

export const createRoomSchema = s.titled(
  'NewRoom',
  s.strictObject(
    {
      name: s.name,
      slug: s.slug,
      description: s.description,
      topics: s.topics,
      metadata: s.object,
      enableWebRTC: s.flag(),
    },
    ['name'],
  ),
);

export const updateRoomSchema = s.titled(
  'RoomChanges',
  s.strictObject({
    name: s.name,
    description: s.description,
    status: s.activeOrDisabled,
    topics: s.topics,
    metadata: s.object,
  }),
);

export const roomSchema = s.titledObject('Room', {
  roomId: s.uuid,
  appId: s.uuid,
  name: s.text(),
  slug: s.text({ description: 'A segment of topic addresses' }),
  description: s.orNull(s.text()),
  topics: s.listOf(s.text()),
  metadata: s.object,
  status: s.oneOf(roomStatuses),
  isStatic: s.flag({ description: 'Whether a blueprint created it' }),
  createdAt: s.time,
  updatedAt: s.time,
});

type RoomAnswer = s.ValueOf<typeof roomSchema>;

export const presentRoom = (room: Room): RoomAnswer => ({
  roomId: room.roomId,
  appId: room.appId,
  name: room.name,
  slug: room.slug,
  description: room.description,
  topics: room.topics,
  metadata: room.metadata,
  status: room.status,
  isStatic: room.origin === 'blueprint',
  createdAt: room.createdAt,
  updatedAt: room.updatedAt,
});

export const exampleNewRoom = { name: 'Lobby', topics: ['chat', 'typing'], metadata: { floor: 1 } };

export const exampleRoom: RoomAnswer = {
  roomId: exampleIds.roomId,
  appId: exampleIds.appId,
  ...exampleNewRoom,
  slug: 'lobby',
  description: null,
  status: 'active',
  isStatic: false,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

/** The room that the path names in its app, as the read models show them. A room of another app does not exist. */
export const findRoom = async (views: ViewReader, request: ProjectRequest): Promise<Room> => {
  const { appId } = await findApp(views, request);
  const roomId = pathValue(request, 'roomId');
  const room = await views.get('rooms', roomId);
  if (room?.appId !== appId) throw new Rejection('room_not_found', { roomId });
  return room;
};
