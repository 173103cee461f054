import { actorStatuses, actorTypes, type Actor } from '@roomwire/shared/domain/actor';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import { presentUsed } from '../http/listing.js';
import * as s from '../http/schema.js';

const settableSchemas = {
  expiresAt: s.orNull(s.time),
  metadata: s.orNull(s.object),
  accessScopeId: s.orNull(s.uuid),
};

export const createActorSchema = s.titled(
  'NewActor',
  s.strictObject({ name: s.name, actorType: s.oneOf(actorTypes), ...settableSchemas }, ['name', 'actorType']),
);

export type UpdateActorBody = s.ValueOf<typeof updateActorSchema>;

export const updateActorSchema = s.titled(
  'ActorChanges',
  s.strictObject({ name: s.name, status: s.activeOrDisabled, ...settableSchemas }),
);

const actorFields = {
  actorTokenId: s.uuid,
  projectId: s.uuid,
  accessScopeId: s.orNull(s.uuid),
  keyId: s.text({ description: 'Public: `at_live_<id>`, the `sub` of client tokens' }),
  name: s.text(),
  actorType: s.oneOf(actorTypes),
  status: s.oneOf(actorStatuses),
  expiresAt: s.orNull(s.time),
  lastUsedAt: s.orNull(s.time),
  metadata: s.orNull(s.object),
  createdAt: s.time,
  updatedAt: s.time,
};

export const actorSchema = s.titledObject('Actor', actorFields);

export const createdActorSchema = s.titledObject('CreatedActor', {
  ...actorFields,
  accessToken: s.text({ description: '`at_live_<id>.<secret>`; shown only in this answer' }),
});

type ActorAnswer = s.ValueOf<typeof actorSchema>;

export const presentActor = (actor: Actor, lastUsedAt: string | null): ActorAnswer => ({
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

export const presentActors = (usage: UsageReader, actors: readonly Actor[]): Promise<ActorAnswer[]> =>
  presentUsed(usage, actors, ({ actorTokenId }) => actorTokenId, presentActor);

export const exampleNewActor = { name: 'Till 4', actorType: 'device', metadata: { site: 'north' } } as const;

export const exampleActor: ActorAnswer = {
  actorTokenId: exampleIds.actorTokenId,
  projectId: exampleIds.projectId,
  accessScopeId: null,
  keyId: 'at_live_4f9a1c2e7b8d',
  ...exampleNewActor,
  status: 'active',
  expiresAt: null,
  lastUsedAt: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const exampleCreatedActor = {
  ...exampleActor,
  accessToken: `${exampleActor.keyId}.${exampleSecret}`,
};
