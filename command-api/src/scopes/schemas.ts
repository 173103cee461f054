import { scopeSlugPattern } from '@roomwire/shared/domain/scopes/scope';
import { slugMaxLength } from '@roomwire/shared/domain/slug';
import { pageQuerySchema, type PageQuery } from '../http/listing.js';
import { nameSchema, objectSchema, orNull, strictObject, titled } from '../http/schema.js';

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
