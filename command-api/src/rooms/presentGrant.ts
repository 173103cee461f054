import type { Grant } from '@roomwire/shared/domain/rooms/grant';

export const presentGrant = (grant: Grant) => ({
  roomActorAccessId: grant.roomActorAccessId,
  appId: grant.appId,
  roomId: grant.roomId,
  actorTokenId: grant.actorTokenId,
  actorType: grant.actorType,
  permission: grant.permission,
  topics: grant.topics,
  expiresAt: grant.expiresAt,
  isActive: grant.isActive,
  role: grant.role,
  metadata: grant.metadata,
  createdAt: grant.createdAt,
  updatedAt: grant.updatedAt,
});
