import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../http/schema.js';
import { actorKeyIdPattern } from '../http/request.js';
import { displayNamePattern, timePattern } from '../http/validation.js';

export interface SchemaDescriber {
  /** The schema for readers and generators; a schema with a title becomes a reference to `schemas`. */
  describe(this: void, schema: JsonSchema): JsonSchema;
  /** The titled schemas so far, by title. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

const schemaKeywords = ['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'];
const schemaMapKeywords = ['properties', 'patternProperties', '$defs'];
const schemaListKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];

/**
 * Turns the schemas that validate into those that are shown. They accept the same values; our own formats become
 * standard keywords. Throws where two different schemas have the same title.
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

/** Replaces formats of the API by standard keywords, and the conditional checks of `arrayOf` and `mapOf` by plain ones. */
const withKnownKeywords = (schema: JsonSchema): JsonSchema => {
  const { format } = schema;
  const known = typeof format === 'string' ? describedFormats[format] : undefined;
  const putOff = putOffChecks(schema);
  const replaced = [...(putOff ? ['if', 'then'] : []), ...(known ? ['format'] : [])];
  const { exactlyOneOf, ...own } = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !replaced.includes(keyword)),
  );
  const oneOf = (exactlyOneOf as readonly string[] | undefined)?.map((field) => ({ required: [field] }));
  // The field's own keywords take precedence over those of its format.
  return { ...known, ...own, ...putOff, ...(oneOf && { oneOf }) };
};

/** Checks that apply only within a limit of the schema itself; undefined for any other condition. */
const putOffChecks = (schema: JsonSchema): JsonSchema | undefined => {
  const condition = Object.entries((schema['if'] ?? {}) as JsonSchema);
  const isOwnLimit = condition.every(
    ([keyword, limit]) => ['maxItems', 'maxProperties'].includes(keyword) && schema[keyword] === limit,
  );
  return condition.length > 0 && isOwnLimit ? (schema['then'] as JsonSchema) : undefined;
};

const label = '[A-Za-z](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?';
const byte = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const host = `(?:${label}(?:\\.${label})*|${byte}(?:\\.${byte}){3}|\\[::1?\\])`;
/** In full, or with zeros left out at the end. */
const ipv6 = '(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){1,7}:|::)';
const port = '(?:6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})';

const uuid = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';

/** JSON Schema has no flag for case. */
const inAnyCase = (name: string): string => name.replace(/[a-z]/g, (c) => `[${c.toUpperCase()}${c}]`);
const framing = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
];

/**
 * The API's own formats in keywords of JSON Schema, so that generated values are accepted. All are exact except for
 * URLs and networks, of which more are accepted than the patterns match.
 */
export const describedFormats: Readonly<Record<string, JsonSchema>> = {
  'date-time': {
    description: 'RFC 3339, without leap seconds',
    format: 'date-time',
    pattern: timePattern.source,
    examples: ['2027-01-31T09:30:00Z'],
  },
  'display-name': {
    description: 'Has a visible character, and no NUL',
    pattern: displayNamePattern.source,
    examples: ['Support desk'],
  },
  'token-subject': {
    pattern: `^(?:ext:[^\\ud800-\\udfff]{1,200}|${uuid}|${actorKeyIdPattern.source.slice(1, -1)})$`,
    examples: ['ext:ada'],
  },
  'webhook-url': {
    description: 'An http or https URL without user and password, as the URL standard parses it',
    maxLength: 2048,
    pattern: `^https?://${host}(?::${port})?(?:[/?#][!-~]*)?$`,
    examples: ['https://example.com/hooks/roomwire'],
  },
  'webhook-header-name': {
    description: 'Name of a header that neither frames the call nor is hop-by-hop',
    allOf: [
      { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
      { not: { pattern: `^(?:${framing.map(inAnyCase).join('|')}|${inAnyCase('proxy-')}.*)$` } },
    ],
    examples: ['X-Api-Key'],
  },
  network: {
    description: 'A network, or a single address, of IPv4 or IPv6',
    pattern: `^(?:${byte}(?:\\.${byte}){3}(?:/(?:3[0-2]|[12]?[0-9]))?|${ipv6}(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`,
    examples: ['203.0.113.0/24', '2001:db8::/32'],
  },
  'header-value': { pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$', examples: ['secret'] },
};
