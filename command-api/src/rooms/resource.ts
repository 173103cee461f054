import { type RoomStatus, roomStatuses, type Room } from '@roomwire/shared/domain/rooms/room';
import {
  activeOrDisabledSchema,
  descriptionSchema,
  nameSchema,
  objectSchema,
  slugSchema,
  strictObject,
  titled,
  topicsSchema,
  flagSchema,
  listOf,
  record,
  textOrNullSchema,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { findApp } from '../apps/resource.js';
import { Rejection } from '../handling/rejections.js';
import { pathValue, type ProjectCaller } from '../http/route.js';

type Metadata = Readonly<Record<string, unknown>>;

export interface CreateRoomBody {
  readonly name: string;
  readonly slug?: string;
  readonly description?: string | null;
  readonly topics?: readonly string[];
  readonly metadata?: Metadata;
  readonly enableWebRTC?: boolean;
}

export const createRoomSchema = titled(
  'NewRoom',
  strictObject(
    {
      name: nameSchema,
      slug: slugSchema,
      description: descriptionSchema,
      topics: topicsSchema,
      metadata: objectSchema,
      enableWebRTC: { type: 'boolean' },
    },
    ['name'],
  ),
);

export interface UpdateRoomBody {
  readonly name?: string;
  readonly description?: string | null;
  readonly status?: RoomStatus;
  readonly topics?: readonly string[];
  readonly metadata?: Metadata;
}

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
  slug: { ...textSchema, description: 'A segment of topic addresses' },
  description: textOrNullSchema,
  topics: listOf(textSchema),
  metadata: objectSchema,
  status: { type: 'string', enum: [...roomStatuses] },
  isStatic: { ...flagSchema, description: 'Whether a blueprint made it' },
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const exampleNewRoom = { name: 'Lobby', topics: ['chat', 'typing'], metadata: { floor: 1 } };

export const exampleRoom: ReturnType<typeof presentRoom> = {
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

export const presentRoom = (room: Room) => ({
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

interface RoomRequest {
  readonly caller: ProjectCaller;
  readonly path: Readonly<Record<string, string>>;
}

/** The room that the path names in its app, as the read models show them. A room of another app does not exist. */
export const findRoom = async (views: ViewStore, request: RoomRequest): Promise<Room> => {
  const { appId } = await findApp(views, request);
  const roomId = pathValue(request, 'roomId');
  const room = await views.get('rooms', roomId);
  if (room?.appId !== appId) throw new Rejection('room_not_found', { roomId });
  return room;
};
