import { slugMaxLength, slugPattern } from '@roomwire/shared/domain/slug';
import { topicNameMaxLength, topicNamePattern } from '@roomwire/shared/domain/topic';
import type { JsonSchema } from './route.js';

/** An object in which only the listed fields may stand. */
export const strictObject = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema => ({ type: 'object', properties, required, additionalProperties: false });

/** An object of an answer: every field is always there. The title is its name in the API's description. */
export const record = (title: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  title,
  ...strictObject(properties, Object.keys(properties)),
});

/** Under this name in the API's description. */
export const titled = (title: string, schema: JsonSchema): JsonSchema => ({ title, ...schema });

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

export const orNull = (schema: JsonSchema): JsonSchema => ({ ...schema, type: [schema['type'], 'null'] });

/** An array past its limit fails by that alone: its items are not looked at. */
export const arrayOf = (
  items: JsonSchema,
  maxItems: number,
  more: { readonly uniqueItems?: boolean } = {},
): JsonSchema => ({ type: 'array', maxItems, if: { maxItems }, then: { items, ...more } });

/** An object with names of the sender's choice. Past its limit it fails by that alone, like an array. */
export const mapOf = (propertyNames: JsonSchema, values: JsonSchema, maxProperties: number): JsonSchema => ({
  type: 'object',
  maxProperties,
  if: { maxProperties },
  then: { propertyNames, additionalProperties: values },
});

export const nameSchema: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  format: 'display-name',
};
export const descriptionSchema: JsonSchema = { type: ['string', 'null'], maxLength: 2000 };
export const slugSchema: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: slugMaxLength,
  pattern: slugPattern.source,
};
export const uuidSchema: JsonSchema = { type: 'string', format: 'uuid' };
export const timeSchema: JsonSchema = { type: 'string', format: 'date-time' };
export const objectSchema: JsonSchema = { type: 'object' };
export const topicNameSchema: JsonSchema = {
  type: 'string',
  maxLength: topicNameMaxLength,
  pattern: topicNamePattern.source,
};
export const topicsSchema = arrayOf(topicNameSchema, 1000, { uniqueItems: true });
export const activeOrDisabledSchema: JsonSchema = { type: 'string', enum: ['active', 'disabled'] };

/** The time as it is kept, whatever offset it was sent with. */
export const normalTime = (time: string): string => new Date(time).toISOString();

// In answers: the shape that a value has, without the limits that it was taken with.
export const textSchema: JsonSchema = { type: 'string' };
export const textOrNullSchema: JsonSchema = { type: ['string', 'null'] };
export const flagSchema: JsonSchema = { type: 'boolean' };
export const countSchema: JsonSchema = { type: 'integer', minimum: 0 };
