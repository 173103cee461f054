import { scopeSlugPattern, type Scope } from '@roomwire/shared/domain/scopes/scope';
import { slugMaxLength } from '@roomwire/shared/domain/slug';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { Rejection } from '../handling/rejections.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import { pathValue, type ProjectRequest } from '../http/route.js';
import {
  described,
  flag,
  flagSchema,
  nameSchema,
  objectSchema,
  oneOf,
  orNull,
  record,
  strictObject,
  text,
  textOrNullSchema,
  textSchema,
  timeSchema,
  titled,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';

const settableSchemas = {
  description: orNull(text({ maxLength: 500 })),
  metadata: orNull(objectSchema),
};

export type CreateScopeBody = ValueOf<typeof createScopeSchema>;

export const createScopeSchema = titled(
  'NewScope',
  strictObject(
    {
      slug: text({ maxLength: slugMaxLength, pattern: scopeSlugPattern.source }),
      name: nameSchema,
      ...settableSchemas,
    },
    ['slug', 'name'],
  ),
);

export const updateScopeSchema = titled(
  'ScopeChanges',
  strictObject({ name: nameSchema, isActive: flag(), ...settableSchemas }),
);

export const scopesQuerySchema = pageQuerySchema(['name', 'slug', 'isActive', 'createdAt', 'updatedAt'], {
  slug: text({ maxLength: slugMaxLength }),
  name: text({ maxLength: 255 }),
  isActive: oneOf(['true', 'false']),
});

export const scopeSchema = record('Scope', {
  accessScopeId: uuidSchema,
  projectId: uuidSchema,
  slug: described(textSchema, 'A segment of topic addresses; never changes'),
  name: textSchema,
  description: textOrNullSchema,
  metadata: orNull(objectSchema),
  isActive: described(flagSchema, 'An inactive scope denies its actors'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

type ScopeAnswer = ValueOf<typeof scopeSchema>;

export const presentScope = (scope: Scope): ScopeAnswer => ({
  accessScopeId: scope.accessScopeId,
  projectId: scope.projectId,
  slug: scope.slug,
  name: scope.name,
  description: scope.description,
  metadata: scope.metadata,
  isActive: scope.isActive,
  createdAt: scope.createdAt,
  updatedAt: scope.updatedAt,
});

export const exampleNewScope = { slug: 'tenant-a', name: 'Tenant A', metadata: { region: 'eu' } };

export const exampleScope: ScopeAnswer = {
  accessScopeId: exampleIds.accessScopeId,
  projectId: exampleIds.projectId,
  ...exampleNewScope,
  description: null,
  isActive: true,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

/** The scope that the path names, as the read models show it. Another project's scope does not exist. */
export const findScope = async (views: ViewReader, request: ProjectRequest): Promise<Scope> => {
  const accessScopeId = pathValue(request, 'scopeId');
  const scope = await views.get('scopes', accessScopeId);
  if (scope?.projectId !== request.caller.projectId)
    throw new Rejection('scope_not_found', { accessScopeId });
  return scope;
};
