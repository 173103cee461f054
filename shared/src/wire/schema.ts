/** A JSON Schema, draft 7, as AsyncAPI takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The shape of a value, defined once: its TypeScript type, its description and its check. The check says no more than the
 * type; what else the description has, such as a largest size, is up to the code that reads the value.
 */
export interface Schema<T> {
  readonly json: JsonSchema;
  readonly is: (value: unknown) => value is T;
}

export type TypeOf<S> = S extends Schema<infer T> ? T : never;

interface OptionalSchema<T> extends Schema<T> {
  readonly isOptional: true;
}

export type Fields = Readonly<Record<string, Schema<unknown>>>;

type Flat<T> = { [K in keyof T]: T[K] };

/** The type of an object with these fields. */
export type ObjectOf<F extends Fields> = Flat<
  { readonly [K in keyof F as F[K] extends OptionalSchema<unknown> ? never : K]: TypeOf<F[K]> } & {
    readonly [K in keyof F as F[K] extends OptionalSchema<unknown> ? K : never]?: TypeOf<F[K]> | undefined;
  }
>;

type Check = (value: unknown) => boolean;

const schema = <T>(json: JsonSchema, is: Check): Schema<T> => ({
  json,
  is: is as Schema<T>['is'],
});

const isText = (value: unknown): boolean => typeof value === 'string';
const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const anything = schema<unknown>({}, () => true);
export const text = schema<string>({ type: 'string' }, isText);
export const textOrNull = schema<string | null>(
  { type: ['string', 'null'] },
  (value) => value === null || isText(value),
);
export const flag = schema<boolean>({ type: 'boolean' }, (value) => typeof value === 'boolean');
export const number = schema<number>({ type: 'number' }, (value) => typeof value === 'number');
export const integer = schema<number>({ type: 'integer' }, Number.isInteger);
export const count = schema<number>({ type: 'integer', minimum: 0 }, Number.isInteger);

/** MessagePack's `bin`, which JSON has no type for. */
export const bytes = schema<Uint8Array>({ format: 'binary' }, (value) => value instanceof Uint8Array);

type Plain = string | number | boolean | null;

export const constant = <const T extends Plain>(value: T): Schema<T> =>
  schema({ const: value }, (other) => other === value);

export const oneOf = <const T extends readonly Plain[]>(...values: T): Schema<T[number]> =>
  schema({ enum: values }, (value) => values.includes(value as Plain));

export const listOf = <T>(items: Schema<T>): Schema<readonly T[]> =>
  schema({ type: 'array', items: items.json }, (value) => Array.isArray(value) && value.every(items.is));

export const mapOf = <T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> =>
  schema(
    { type: 'object', additionalProperties: values.json },
    (value) => isMap(value) && Object.values(value).every(values.is),
  );

/** A field that may be missing. */
export const optional = <T>(field: Schema<T>): OptionalSchema<T> => ({ ...field, isOptional: true });

const isOptional = (field: Schema<unknown>): boolean => 'isOptional' in field;

/** An object with these fields, and perhaps others: a later version may add some. */
export const object = <F extends Fields>(fields: F): Schema<ObjectOf<F>> => {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => !isOptional(field)).map(([name]) => name);
  return schema(
    {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, { json }]) => [name, json])),
      required,
    },
    (value) =>
      isMap(value) &&
      entries.every(([name, field]) =>
        value[name] === undefined ? isOptional(field) : field.is(value[name]),
      ),
  );
};

type TypesOf<S extends readonly Schema<unknown>[]> = { readonly [I in keyof S]: TypeOf<S[I]> };

/** An array in which each position has a meaning of its own. */
export const tuple = <const S extends readonly Schema<unknown>[]>(...items: S): Schema<TypesOf<S>> => {
  const checks = items.map(({ is }) => is);
  return schema(
    { type: 'array', items: items.map(({ json }) => json), minItems: items.length, maxItems: items.length },
    (value) => {
      if (!Array.isArray(value) || value.length !== checks.length) return false;
      // A loop, because messages between gateways are checked here.
      for (let at = 0; at < checks.length; at++) if (!(checks[at] as Check)(value[at])) return false;
      return true;
    },
  );
};

export const union = <const S extends readonly Schema<unknown>[]>(...members: S): Schema<TypeOf<S[number]>> =>
  schema({ oneOf: members.map(({ json }) => json) }, (value) => members.some((member) => member.is(value)));

export const orNull = <T>({ json, is }: Schema<T>): Schema<T | null> =>
  schema({ oneOf: [json, { type: 'null' }] }, (value) => value === null || is(value));

/** A text or a list of at most this length. */
export const atMost = <T extends string | readonly unknown[]>(length: number, { json, is }: Schema<T>) =>
  schema<T>(
    { ...json, [json['type'] === 'array' ? 'maxItems' : 'maxLength']: length },
    (value) => is(value) && value.length <= length,
  );

/** A number in a range, its ends included. */
export const within = (least: number, most: number, { json, is }: Schema<number>): Schema<number> =>
  schema({ ...json, minimum: least, maximum: most }, (value) => is(value) && value >= least && value <= most);

export const matching = (pattern: RegExp, { json, is }: Schema<string>): Schema<string> =>
  schema({ ...json, pattern: pattern.source }, (value) => is(value) && pattern.test(value));

/** The same schema, with more in its description. */
export const annotated = <S extends Schema<unknown>>(more: JsonSchema, described: S): S => ({
  ...described,
  json: { ...described.json, ...more },
});

export const described = <S extends Schema<unknown>>(description: string, value: S): S =>
  annotated({ description }, value);
