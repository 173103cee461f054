import type { JsonSchema } from './route.js';

/** An object in which only the listed fields may stand. */
export const strictObject = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({ type: 'object', properties, required, additionalProperties: false });

export const orNull = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema['type'], 'null'] });

export const nameSchema: JsonSchema = { type: 'string', minLength: 1, maxLength: 255 };
export const descriptionSchema: JsonSchema = { type: ['string', 'null'], maxLength: 2000 };
export const slugSchema: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$',
};
export const uuidSchema: JsonSchema = { type: 'string', format: 'uuid' };
export const timeSchema: JsonSchema = { type: 'string', format: 'date-time' };
export const objectSchema: JsonSchema = { type: 'object' };
export const topicsSchema: JsonSchema = {
  type: 'array',
  maxItems: 1000,
  uniqueItems: true,
  items: { type: 'string', maxLength: 100, pattern: '^[a-zA-Z0-9_:-]+$' },
};
export const activeOrDisabledSchema: JsonSchema = { type: 'string', enum: ['active', 'disabled'] };

/** The time as it is kept, whatever offset it was sent with. */
export const normalTime = (time: string): string => new Date(time).toISOString();
