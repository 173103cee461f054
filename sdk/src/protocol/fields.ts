/** A decoded map whose fields are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

export const isMap = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const text = (fields: Fields, name: string): string => {
  const value = optionalText(fields, name);
  if (value === undefined) throw new TypeError(`${name} is missing`);
  return value;
};

interface Primitives {
  string: string;
  number: number;
}

export const mapOf = (value: unknown, name: string): Fields => {
  if (!isMap(value)) throw new TypeError(`${name} must be a map`);
  return value;
};

export const arrayOf = (value: unknown, name: string): readonly unknown[] => {
  if (!Array.isArray(value)) throw new TypeError(`${name} must be an array`);
  return value;
};

/** `null` counts as absent. */
export const optionalText = (fields: Fields, name: string): string | undefined =>
  optional(fields, name, 'string');

/** `null` counts as absent. */
export const optionalNumber = (fields: Fields, name: string): number | undefined =>
  optional(fields, name, 'number');

const optional = <K extends keyof Primitives>(
  fields: Fields,
  name: string,
  kind: K,
): Primitives[K] | undefined => {
  const value = fields[name] ?? undefined;
  if (value !== undefined && typeof value !== kind) throw new TypeError(`${name} must be a ${kind}`);
  return value as Primitives[K] | undefined;
};
