import type { Actor } from '@roomwire/shared/domain/actors/actor';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { presentUsed } from '../http/listing.js';

export const presentActor = (actor: Actor, lastUsedAt: string | null) => ({
  actorTokenId: actor.actorTokenId,
  projectId: actor.projectId,
  accessScopeId: actor.accessScopeId,
  keyId: actor.keyId,
  name: actor.name,
  actorType: actor.actorType,
  status: actor.status,
  expiresAt: actor.expiresAt,
  lastUsedAt,
  metadata: actor.metadata,
  createdAt: actor.createdAt,
  updatedAt: actor.updatedAt,
});

export const presentActors = (views: ViewStore, actors: readonly Actor[]) =>
  presentUsed(views, actors, ({ actorTokenId }) => actorTokenId, presentActor);
