import { roomStatuses, type Room } from '@roomwire/shared/domain/rooms/room';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { findApp } from '../apps/resource.js';
import { Rejection } from '../handling/rejections.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pathValue, type ProjectRequest } from '../http/route.js';
import {
  activeOrDisabledSchema,
  described,
  descriptionSchema,
  flag,
  flagSchema,
  listOf,
  nameSchema,
  objectSchema,
  oneOf,
  record,
  slugSchema,
  strictObject,
  textOrNullSchema,
  textSchema,
  timeSchema,
  titled,
  topicsSchema,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';

export type CreateRoomBody = ValueOf<typeof createRoomSchema>;

export const createRoomSchema = titled(
  'NewRoom',
  strictObject(
    {
      name: nameSchema,
      slug: slugSchema,
      description: descriptionSchema,
      topics: topicsSchema,
      metadata: objectSchema,
      enableWebRTC: flag(),
    },
    ['name'],
  ),
);

export const updateRoomSchema = titled(
  'RoomChanges',
  strictObject({
    name: nameSchema,
    description: descriptionSchema,
    status: activeOrDisabledSchema,
    topics: topicsSchema,
    metadata: objectSchema,
  }),
);

export const roomSchema = record('Room', {
  roomId: uuidSchema,
  appId: uuidSchema,
  name: textSchema,
  slug: described(textSchema, 'A segment of topic addresses'),
  description: textOrNullSchema,
  topics: listOf(textSchema),
  metadata: objectSchema,
  status: oneOf(roomStatuses),
  isStatic: described(flagSchema, 'Whether a blueprint created it'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

type RoomAnswer = ValueOf<typeof roomSchema>;

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
