import {
  slugMaxLength,
  slugPattern,
  topicNameMaxLength,
  topicNamePattern,
} from '@roomwire/shared/domain/topic';

declare const accepted: unique symbol;

/** A JSON Schema as ajv compiles it and as the API's description shows it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A JSON Schema with the type of the values that it accepts. The functions of this file derive the type together with
 * the keywords, so that neither can be changed alone.
 */
export interface Schema<T> extends JsonSchema {
  /** For the compiler; no schema has it. */
  readonly [accepted]?: T;
}

/** The values that a schema accepts; unknown for one without a type. */
export type ValueOf<S extends JsonSchema> = S extends Schema<infer T> ? T : never;

type Fields = Readonly<Record<string, JsonSchema>>;
type Shown<T> = { readonly [K in keyof T]: T[K] };

/** An object with these fields, of which those named by `R` are always there. */
export type ObjectOf<P extends Fields, R extends keyof P = never> = Shown<
  { readonly [K in R]: ValueOf<P[K]> } & { readonly [K in Exclude<keyof P, R>]?: ValueOf<P[K]> }
>;

// Values of one kind. Keywords beyond the type limit what is accepted, or explain it.

export const text = (keywords: JsonSchema = {}): Schema<string> => ({ type: 'string', ...keywords });
export const integer = (keywords: JsonSchema = {}): Schema<number> => ({ type: 'integer', ...keywords });
export const number = (keywords: JsonSchema = {}): Schema<number> => ({ type: 'number', ...keywords });
export const flag = (keywords: JsonSchema = {}): Schema<boolean> => ({ type: 'boolean', ...keywords });
export const anything = (keywords: JsonSchema): Schema<unknown> => keywords;
export const oneOf = <const V extends string>(
  values: readonly V[],
  keywords: JsonSchema = {},
): Schema<V> => ({ type: 'string', enum: [...values], ...keywords });

export const oneOfNumbers = <const V extends number>(
  values: readonly V[],
  keywords: JsonSchema = {},
): Schema<V> => ({ type: 'integer', enum: [...values], ...keywords });

/** One value. */
export const only = <const V extends string | boolean>(value: V): Schema<V> => ({
  type: typeof value,
  const: value,
});

export const orNull = <T>(schema: Schema<T>): Schema<T | null> => ({
  ...schema,
  type: [schema['type'], 'null'],
  ...(Array.isArray(schema['enum']) ? { enum: [...(schema['enum'] as unknown[]), null] } : {}),
});

/** Like `orNull`, for a schema with a name of its own. */
export const eitherOrNull = <T>(schema: Schema<T>): Schema<T | null> => ({
  oneOf: [schema, { type: 'null' }],
});

/** One of two values that differ in their type. */
export const either = <A, B>(one: Schema<A>, other: Schema<B>): Schema<A | B> => ({ oneOf: [one, other] });

/** The same values, with a description. */
export const described = <T>(schema: Schema<T>, description: string): Schema<T> => ({
  ...schema,
  description,
});

/** Fewer values of the same type. */
export const limited = <T>(schema: Schema<T>, keywords: JsonSchema): Schema<T> => ({
  ...schema,
  ...keywords,
});

/** Under this name in the API's description. */
export const titled = <T>(title: string, schema: Schema<T>): Schema<T> => ({ title, ...schema });

// Objects, lists and maps.

/** An object in which only the listed fields may stand. */
export const strictObject = <P extends Fields, R extends keyof P & string = never>(
  properties: P,
  required: readonly R[] = [],
): Schema<ObjectOf<P, R>> => ({ type: 'object', properties, required, additionalProperties: false });

/** An object that may have other fields too. */
export const openObject = <P extends Fields>(
  properties: P,
): Schema<ObjectOf<P> & Readonly<Record<string, unknown>>> => ({ type: 'object', properties });

/** The parameters of a query; those that are not listed are ignored. */
export const queryOf = <P extends Fields, R extends keyof P & string = never>(
  properties: P,
  required: readonly R[] = [],
): Schema<ObjectOf<P, R>> => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
});

/** An object of an answer: every field is always there. The title is its name in the API's description. */
export const titledObject = <P extends Fields>(
  title: string,
  properties: P,
): Schema<ObjectOf<P, keyof P>> => ({
  title,
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const listOf = <T>(items: Schema<T>): Schema<readonly T[]> => ({ type: 'array', items });

export const dictionaryOf = <T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> => ({
  type: 'object',
  additionalProperties: values,
});

/** An array past its limit is reported for that alone: its items are not checked. */
export const arrayOf = <T>(
  items: Schema<T>,
  maxItems: number,
  more: { readonly minItems?: number; readonly uniqueItems?: boolean } = {},
): Schema<readonly T[]> => ({ type: 'array', maxItems, if: { maxItems }, then: { items, ...more } });

/** An object whose sender chooses the names. Past its limit only that is reported, as for an array. */
export const mapOf = <T>(
  propertyNames: JsonSchema,
  values: Schema<T>,
  maxProperties: number,
): Schema<Readonly<Record<string, T>>> => ({
  type: 'object',
  maxProperties,
  if: { maxProperties },
  then: { propertyNames, additionalProperties: values },
});

// Fields that several resources have.

export const name = text({ minLength: 1, maxLength: 255, format: 'display-name' });
export const description = orNull(text({ maxLength: 2000 }));
export const slug = text({ minLength: 1, maxLength: slugMaxLength, pattern: slugPattern.source });
export const uuid = text({ format: 'uuid' });
export const time = text({ format: 'date-time' });
export const object: Schema<Readonly<Record<string, unknown>>> = { type: 'object' };
export const topicName = text({ maxLength: topicNameMaxLength, pattern: topicNamePattern.source });
export const topics = arrayOf(topicName, 1000, { uniqueItems: true });
export const activeOrDisabled = oneOf(['active', 'disabled']);

/** The time as it is stored, in UTC. */
export const normalTime = (time: string): string => new Date(time).toISOString();

// In answers: the type of a value, without the limits that apply to requests.
export const count = integer({ minimum: 0 });
