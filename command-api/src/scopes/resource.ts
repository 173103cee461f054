import { scopeSlugPattern, type Scope } from '@roomwire/shared/domain/scope';
import { slugMaxLength } from '@roomwire/shared/domain/topic';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { Rejection } from '../handling/rejections.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import { pathValue, type ProjectRequest } from '../http/route.js';
import * as s from '../http/schema.js';

const settableSchemas = {
  description: s.orNull(s.text({ maxLength: 500 })),
  metadata: s.orNull(s.object),
};

export type CreateScopeBody = s.ValueOf<typeof createScopeSchema>;

export const createScopeSchema = s.titled(
  'NewScope',
  s.strictObject(
    {
      slug: s.text({ maxLength: slugMaxLength, pattern: scopeSlugPattern.source }),
      name: s.name,
      ...settableSchemas,
    },
    ['slug', 'name'],
  ),
);

export const updateScopeSchema = s.titled(
  'ScopeChanges',
  s.strictObject({ name: s.name, isActive: s.flag(), ...settableSchemas }),
);

export const scopesQuerySchema = pageQuerySchema(['name', 'slug', 'isActive', 'createdAt', 'updatedAt'], {
  slug: s.text({ maxLength: slugMaxLength }),
  name: s.text({ maxLength: 255 }),
  isActive: s.oneOf(['true', 'false']),
});

export const scopeSchema = s.titledObject('Scope', {
  accessScopeId: s.uuid,
  projectId: s.uuid,
  slug: s.text({ description: 'A segment of topic addresses; never changes' }),
  name: s.text(),
  description: s.orNull(s.text()),
  metadata: s.orNull(s.object),
  isActive: s.flag({ description: 'An inactive scope denies its actors' }),
  createdAt: s.time,
  updatedAt: s.time,
});

type ScopeAnswer = s.ValueOf<typeof scopeSchema>;

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

/** The scope that a query names by its id; an empty id means none. A scope of another project does not exist. */
export const scopeOfQuery = async (
  views: ViewReader,
  { caller }: { readonly caller: Pick<ProjectRequest['caller'], 'projectId'> },
  accessScopeId = '',
): Promise<Scope | undefined> => {
  if (accessScopeId === '') return undefined;
  const scope = await views.get('scopes', accessScopeId.toLowerCase());
  if (scope?.projectId !== caller.projectId) throw new Rejection('scope_not_found', { accessScopeId });
  return scope;
};
