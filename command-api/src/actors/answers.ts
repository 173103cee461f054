import { actorStatuses, actorTypes } from '@roomwire/shared/domain/actors/actor';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import type { JsonSchema } from '../http/route.js';
import { objectSchema, orNull, record, textSchema, timeSchema, uuidSchema } from '../http/schema.js';
import type { presentActor } from './present.js';

const fields: Readonly<Record<string, JsonSchema>> = {
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

export const actorSchema = record('Actor', fields);

export const createdActorSchema = record('CreatedActor', {
  ...fields,
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
