import type { Room } from '@roomwire/shared/domain/rooms/room';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { findApp } from '../apps/findApp.js';
import { Rejection } from '../handling/rejections.js';
import { pathValue, type ProjectCaller } from '../http/route.js';

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
