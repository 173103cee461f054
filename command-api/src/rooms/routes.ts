import type { App } from '@roomwire/shared/domain/app';
import { webRtcTopics, type RoomFields, type RoomOrigin } from '@roomwire/shared/domain/room';
import { currentApp, findApp } from '../apps/resource.js';
import { Rejection } from '../handling/rejections.js';
import { listOrPage, listOrPageOf, named, roomListQuery } from '../http/recordLists.js';
import { type ResourceDeps, pathValue, projectContext, projectRoute, type Route } from '../http/route.js';
import { slugFromName } from '../policy/slugFromName.js';
import {
  exampleNewRoom,
  exampleRoom,
  roomSchema,
  findRoom,
  presentRoom,
  createRoomSchema,
  updateRoomSchema,
  type CreateRoomBody,
} from './resource.js';
import { existing, roomBySlug, roomsTarget } from './decider.js';

export const roomRoutes = ({ commands, views, random }: ResourceDeps): readonly Route[] => {
  return [
    projectRoute({
      method: 'get',
      path: '/apps/{appId}/rooms',
      operationId: 'listRooms',
      permission: 'rooms:read',
      tag: 'Rooms',
      summary: 'List the rooms of an app, oldest first; a page newest first',
      query: roomListQuery,
      status: 200,
      answer: listOrPageOf(roomSchema),
      example: { answer: [exampleRoom] },
      rejections: ['app_not_found'],
      async handle(request) {
        const { appId } = await findApp(views, request);
        const { query } = request;
        const bySlug = query.slug === undefined ? {} : { slug: query.slug };
        const filter = { appId, ...named(query), ...bySlug };
        return listOrPage(views, 'rooms', filter, query, 'oldest first', (rooms) => rooms.map(presentRoom));
      },
    }),

    projectRoute({
      method: 'post',
      path: '/apps/{appId}/rooms',
      operationId: 'createRoom',
      permission: 'rooms:write',
      tag: 'Rooms',
      summary: 'Create a room',
      body: createRoomSchema,
      status: 201,
      answer: roomSchema,
      example: { body: exampleNewRoom, answer: exampleRoom },
      rejections: ['app_not_found', 'room_slug_taken'],
      async handle(request) {
        const room = newRoom(random.uuid(), await currentApp(commands, request), request.body, 'api');
        return commands.execute(
          roomsTarget(room.appId),
          { type: 'CreateRoom', room },
          projectContext(request),
          (state) => presentRoom(existing(state, room.roomId)),
        );
      },
    }),

    projectRoute({
      method: 'post',
      path: '/apps/{appId}/rooms/ensure',
      operationId: 'ensureRoom',
      permission: 'rooms:write',
      tag: 'Rooms',
      summary: 'Get the room with this slug, or create it',
      body: createRoomSchema,
      status: 200,
      answer: roomSchema,
      example: { body: exampleNewRoom, answer: exampleRoom },
      rejections: ['app_not_found', 'room_provisioning_off', 'room_cap_reached'],
      async handle(request) {
        const app = await currentApp(commands, request);
        if (app.config.autoProvisionRooms !== true)
          throw new Rejection('room_provisioning_off', { appId: app.appId });
        const room = newRoom(random.uuid(), app, request.body, 'ensure');
        return commands.execute(
          roomsTarget(app.appId),
          { type: 'EnsureRoom', room },
          projectContext(request),
          (state) => presentRoom(roomBySlug(state, room.slug)),
        );
      },
    }),

    projectRoute({
      method: 'get',
      path: '/apps/{appId}/rooms/{roomId}',
      operationId: 'getRoom',
      permission: 'rooms:read',
      tag: 'Rooms',
      summary: 'Get a room',
      status: 200,
      answer: roomSchema,
      example: { answer: exampleRoom },
      rejections: ['app_not_found', 'room_not_found'],
      async handle(request) {
        return presentRoom(await findRoom(views, request));
      },
    }),

    projectRoute({
      method: 'patch',
      path: '/apps/{appId}/rooms/{roomId}',
      operationId: 'updateRoom',
      permission: 'rooms:write',
      tag: 'Rooms',
      summary: 'Change a room',
      body: updateRoomSchema,
      status: 200,
      answer: roomSchema,
      example: { body: { status: 'disabled' }, answer: { ...exampleRoom, status: 'disabled' } },
      rejections: ['app_not_found', 'room_not_found'],
      async handle(request) {
        const { appId } = await currentApp(commands, request);
        const roomId = pathValue(request, 'roomId');
        return commands.execute(
          roomsTarget(appId),
          { type: 'UpdateRoom', appId, roomId, changes: request.body },
          projectContext(request),
          (state) => presentRoom(existing(state, roomId)),
        );
      },
    }),

    projectRoute({
      method: 'delete',
      path: '/apps/{appId}/rooms/{roomId}',
      operationId: 'deleteRoom',
      permission: 'rooms:write',
      tag: 'Rooms',
      summary: 'Delete a room that was created through the API',
      status: 204,
      rejections: ['app_not_found', 'room_not_found', 'room_static'],
      async handle(request) {
        const { appId } = await currentApp(commands, request);
        const roomId = pathValue(request, 'roomId');
        await commands.execute(
          roomsTarget(appId),
          { type: 'DeleteRoom', appId, roomId },
          projectContext(request),
        );
      },
    }),
  ];
};

const newRoom = (roomId: string, app: App, body: CreateRoomBody, origin: RoomOrigin): RoomFields => {
  const topics = body.topics === undefined || body.topics.length === 0 ? app.topics : body.topics;
  return {
    roomId,
    appId: app.appId,
    projectId: app.projectId,
    name: body.name,
    slug: body.slug ?? slugFromName(body.name, 'room'),
    description: body.description ?? null,
    topics: body.enableWebRTC === true ? [...new Set([...topics, ...webRtcTopics])] : topics,
    metadata: body.metadata ?? {},
    origin,
  };
};
