import { actorTypes, type ActorStatus, type ActorType } from '@roomwire/shared/domain/actors/actor';
import {
  activeOrDisabledSchema,
  nameSchema,
  objectSchema,
  orNull,
  strictObject,
  titled,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';

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
