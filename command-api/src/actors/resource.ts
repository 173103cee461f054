import { actorStatuses, actorTypes, type Actor } from '@roomwire/shared/domain/actors/actor';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import { presentUsed } from '../http/listing.js';
import {
  activeOrDisabledSchema,
  described,
  nameSchema,
  objectSchema,
  oneOf,
  orNull,
  record,
  strictObject,
  textSchema,
  timeSchema,
  titled,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';

const settableSchemas = {
  expiresAt: orNull(timeSchema),
  metadata: orNull(objectSchema),
  accessScopeId: orNull(uuidSchema),
};

export const createActorSchema = titled(
  'NewActor',
  strictObject({ name: nameSchema, actorType: oneOf(actorTypes), ...settableSchemas }, ['name', 'actorType']),
);

export type UpdateActorBody = ValueOf<typeof updateActorSchema>;

export const updateActorSchema = titled(
  'ActorChanges',
  strictObject({ name: nameSchema, status: activeOrDisabledSchema, ...settableSchemas }),
);

const actorFields = {
  actorTokenId: uuidSchema,
  projectId: uuidSchema,
  accessScopeId: orNull(uuidSchema),
  keyId: described(textSchema, 'Public: `at_live_<id>`, the `sub` of client tokens'),
  name: textSchema,
  actorType: oneOf(actorTypes),
  status: oneOf(actorStatuses),
  expiresAt: orNull(timeSchema),
  lastUsedAt: orNull(timeSchema),
  metadata: orNull(objectSchema),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const actorSchema = record('Actor', actorFields);

export const createdActorSchema = record('CreatedActor', {
  ...actorFields,
  accessToken: described(textSchema, '`at_live_<id>.<secret>`; shown only in this answer'),
});

type ActorAnswer = ValueOf<typeof actorSchema>;

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
