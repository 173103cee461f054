import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../http/route.js';
import { describedFormats } from './describedFormats.js';

export interface SchemaDescriber {
  /** The schema for readers and generators; what has a title becomes a reference to `schemas`. */
  describe(this: void, schema: JsonSchema): JsonSchema;
  /** The titled schemas so far, by title. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

const schemaKeywords = ['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'];
const schemaMapKeywords = ['properties', 'patternProperties', '$defs'];
const schemaListKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];

/**
 * Turns the schemas that validate into those that are shown. They accept the same values; our own formats become
 * keywords that everybody knows. Throws where two different schemas have the same title.
 */
export const createSchemaDescriber = (): SchemaDescriber => {
  const schemas: Record<string, JsonSchema> = {};

  const describe = (schema: JsonSchema): JsonSchema => {
    const { title, ...untitled } = schema;
    if (typeof title !== 'string') return plain(schema);
    const type = schema['type'];
    if (Array.isArray(type) && type.includes('null'))
      return {
        anyOf: [
          describe({ title, ...untitled, type: type.find((one) => one !== 'null') as string }),
          { type: 'null' },
        ],
      };
    const described = plain(untitled);
    if (schemas[title] !== undefined && !isDeepStrictEqual(schemas[title], described))
      throw new TypeError(`Two schemas have the title ${title}`);
    schemas[title] = described;
    return { $ref: `#/components/schemas/${title}` };
  };

  const plain = (schema: JsonSchema): JsonSchema => {
    const described: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(withKnownKeywords(schema)))
      described[keyword] = describeKeyword(keyword, value);
    return described;
  };

  const describeKeyword = (keyword: string, value: unknown): unknown => {
    if (schemaKeywords.includes(keyword) && typeof value === 'object') return describe(value as JsonSchema);
    if (schemaListKeywords.includes(keyword)) return (value as JsonSchema[]).map(describe);
    if (!schemaMapKeywords.includes(keyword)) return value;
    return Object.fromEntries(
      Object.entries(value as Record<string, JsonSchema>).map(([name, one]) => [name, describe(one)]),
    );
  };

  return { describe, schemas };
};

/** Our own formats in keywords of everybody, and the checks that `arrayOf` and `mapOf` put off, at once. */
const withKnownKeywords = (schema: JsonSchema): JsonSchema => {
  const { format } = schema;
  const known = typeof format === 'string' ? describedFormats[format] : undefined;
  const putOff = putOffChecks(schema);
  const replaced = [...(putOff ? ['if', 'then'] : []), ...(known ? ['format'] : [])];
  const { exactlyOneOf, ...own } = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !replaced.includes(keyword)),
  );
  const oneOf = (exactlyOneOf as readonly string[] | undefined)?.map((field) => ({ required: [field] }));
  // What a field says of itself goes before what its format does.
  return { ...known, ...own, ...putOff, ...(oneOf && { oneOf }) };
};

/** What is only looked at within a limit that the schema has anyway; undefined for any other condition. */
const putOffChecks = (schema: JsonSchema): JsonSchema | undefined => {
  const condition = Object.entries((schema['if'] ?? {}) as JsonSchema);
  const isOwnLimit = condition.every(
    ([keyword, limit]) => ['maxItems', 'maxProperties'].includes(keyword) && schema[keyword] === limit,
  );
  return condition.length > 0 && isOwnLimit ? (schema['then'] as JsonSchema) : undefined;
};
