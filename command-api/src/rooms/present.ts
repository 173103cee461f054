import type { Room } from '@roomwire/shared/domain/rooms/room';

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
