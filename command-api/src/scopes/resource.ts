import { scopeSlugPattern, type Scope } from '@roomwire/shared/domain/scopes/scope';
import { slugMaxLength } from '@roomwire/shared/domain/slug';
import { pageQuerySchema, type PageQuery } from '../http/listing.js';
import {
  nameSchema,
  objectSchema,
  orNull,
  strictObject,
  titled,
  flagSchema,
  record,
  textOrNullSchema,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { Rejection } from '../handling/rejections.js';
import { pathValue, type ProjectCaller } from '../http/route.js';

interface SettableFields {
  readonly description?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

const settableSchemas = {
  description: { type: ['string', 'null'], maxLength: 500 },
  metadata: orNull(objectSchema),
};

export interface CreateScopeBody extends SettableFields {
  readonly slug: string;
  readonly name: string;
}

export const createScopeSchema = titled(
  'NewScope',
  strictObject(
    {
      slug: { type: 'string', maxLength: slugMaxLength, pattern: scopeSlugPattern.source },
      name: nameSchema,
      ...settableSchemas,
    },
    ['slug', 'name'],
  ),
);

export interface UpdateScopeBody extends SettableFields {
  readonly name?: string;
  readonly isActive?: boolean;
}

export const updateScopeSchema = titled(
  'ScopeChanges',
  strictObject({
    name: nameSchema,
    isActive: { type: 'boolean' },
    ...settableSchemas,
  }),
);

export interface ScopesQuery extends PageQuery {
  readonly slug?: string;
  readonly name?: string;
  readonly isActive?: 'true' | 'false';
}

export const scopesQuerySchema = pageQuerySchema(['name', 'slug', 'isActive', 'createdAt', 'updatedAt'], {
  slug: { type: 'string', maxLength: slugMaxLength },
  name: { type: 'string', maxLength: 255 },
  isActive: { type: 'string', enum: ['true', 'false'] },
});

export const scopeSchema = record('Scope', {
  accessScopeId: uuidSchema,
  projectId: uuidSchema,
  slug: { ...textSchema, description: 'A segment of topic addresses; never changes' },
  name: textSchema,
  description: textOrNullSchema,
  metadata: orNull(objectSchema),
  isActive: { ...flagSchema, description: 'An inactive scope denies its actors' },
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const exampleNewScope = { slug: 'tenant-a', name: 'Tenant A', metadata: { region: 'eu' } };

export const exampleScope: ReturnType<typeof presentScope> = {
  accessScopeId: exampleIds.accessScopeId,
  projectId: exampleIds.projectId,
  ...exampleNewScope,
  description: null,
  isActive: true,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const presentScope = (scope: Scope) => ({
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

interface ScopeRequest {
  readonly caller: ProjectCaller;
  readonly path: Readonly<Record<string, string>>;
}

/** The scope that the path names, as the read models show it. Another project's scope does not exist. */
export const findScope = async (views: ViewStore, request: ScopeRequest): Promise<Scope> => {
  const accessScopeId = pathValue(request, 'scopeId');
  const scope = await views.get('scopes', accessScopeId);
  if (scope?.projectId !== request.caller.projectId)
    throw new Rejection('scope_not_found', { accessScopeId });
  return scope;
};
