import type { Actor } from '@roomwire/shared/domain/actors/actor';

export const presentActor = (actor: Actor) => ({
  actorTokenId: actor.actorTokenId,
  projectId: actor.projectId,
  accessScopeId: actor.accessScopeId,
  keyId: actor.keyId,
  name: actor.name,
  actorType: actor.actorType,
  status: actor.status,
  expiresAt: actor.expiresAt,
  lastUsedAt: null,
  metadata: actor.metadata,
  createdAt: actor.createdAt,
  updatedAt: actor.updatedAt,
});
