import type { JsonSchema } from './route.js';

export interface SurplusField {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * The first `most` fields that a strict object does not know, where it has more of them than that; undefined where no
 * object that the schema names has. Costs no more than counting the fields.
 */
export const surplusFields = (
  schema: JsonSchema,
  value: unknown,
  most: number,
  path: readonly string[] = [],
): readonly SurplusField[] | undefined => {
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>> | undefined;
  if (properties === undefined || !isRecord(value)) return undefined;
  if (schema['additionalProperties'] === false) {
    const fields = unknownFields(value, properties, most + 1);
    if (fields.length > most)
      return fields.slice(0, most).map((field) => ({ path: [...path, field], value: value[field] }));
  }
  for (const [field, inner] of Object.entries(properties)) {
    const found = surplusFields(inner, value[field], most, [...path, field]);
    if (found !== undefined) return found;
  }
  return undefined;
};

const unknownFields = (value: object, properties: object, enough: number): string[] => {
  const found: string[] = [];
  for (const field in value) {
    if (Object.hasOwn(properties, field)) continue;
    found.push(field);
    if (found.length === enough) break;
  }
  return found;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
