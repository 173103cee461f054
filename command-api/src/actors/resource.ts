import {
  actorTypes,
  type ActorStatus,
  type ActorType,
  actorStatuses,
  type Actor,
} from '@roomwire/shared/domain/actors/actor';
import {
  activeOrDisabledSchema,
  nameSchema,
  objectSchema,
  orNull,
  strictObject,
  titled,
  timeSchema,
  uuidSchema,
  record,
  textSchema,
} from '../http/schema.js';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import type { JsonSchema } from '../http/route.js';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { presentUsed } from '../http/listing.js';

interface SettableFields {
  readonly expiresAt?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly accessScopeId?: string | null;
}

const settableSchemas = {
  expiresAt: orNull(timeSchema),
  metadata: orNull(objectSchema),
  accessScopeId: orNull(uuidSchema),
};

export interface CreateActorBody extends SettableFields {
  readonly name: string;
  readonly actorType: ActorType;
}

export const createActorSchema = titled(
  'NewActor',
  strictObject(
    { name: nameSchema, actorType: { type: 'string', enum: [...actorTypes] }, ...settableSchemas },
    ['name', 'actorType'],
  ),
);

export interface UpdateActorBody extends SettableFields {
  readonly name?: string;
  readonly status?: ActorStatus;
}

export const updateActorSchema = titled(
  'ActorChanges',
  strictObject({
    name: nameSchema,
    status: activeOrDisabledSchema,
    ...settableSchemas,
  }),
);

const recordFields: Readonly<Record<string, JsonSchema>> = {
  actorTokenId: uuidSchema,
  projectId: uuidSchema,
  accessScopeId: orNull(uuidSchema),
  keyId: { ...textSchema, description: 'Public: `at_live_<id>`, the `sub` of client tokens' },
  name: textSchema,
  actorType: { type: 'string', enum: [...actorTypes] },
  status: { type: 'string', enum: [...actorStatuses] },
  expiresAt: orNull(timeSchema),
  lastUsedAt: orNull(timeSchema),
  metadata: orNull(objectSchema),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const actorSchema = record('Actor', recordFields);

export const createdActorSchema = record('CreatedActor', {
  ...recordFields,
  accessToken: { ...textSchema, description: '`at_live_<id>.<secret>`; shown only in this answer' },
});

export const exampleNewActor = { name: 'Till 4', actorType: 'device', metadata: { site: 'north' } } as const;

export const exampleActor: ReturnType<typeof presentActor> = {
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
