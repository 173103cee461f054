/** A JSON Schema, draft 7, as AsyncAPI takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Fields = Readonly<Record<string, JsonSchema>>;

/** An object with these fields; those that are named as optional may be missing. */
export const object = (properties: Fields, optional: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

export const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });

export const list = (items: JsonSchema, maxItems?: number): JsonSchema => ({
  type: 'array',
  items,
  ...(maxItems !== undefined && { maxItems }),
});

/** An array whose places have a meaning each; those behind the first `required` may be missing. */
export const tuple = (places: readonly JsonSchema[], required = places.length): JsonSchema => ({
  type: 'array',
  items: places,
  minItems: required,
  maxItems: places.length,
});

export const described = (description: string, schema: JsonSchema = {}): JsonSchema => ({
  ...schema,
  description,
});

export const constant = (value: unknown): JsonSchema => ({ const: value });
export const text: JsonSchema = { type: 'string' };
export const textOrNull: JsonSchema = { type: ['string', 'null'] };
export const flag: JsonSchema = { type: 'boolean' };
export const count: JsonSchema = { type: 'integer', minimum: 0 };
export const oneOf = (...values: readonly unknown[]): JsonSchema => ({ enum: values });

export const orNull = (schema: JsonSchema): JsonSchema => ({ oneOf: [schema, { type: 'null' }] });

/** MessagePack's `bin`, which JSON has no type for. */
export const bytes = (description: string): JsonSchema => ({ description, format: 'binary' });
