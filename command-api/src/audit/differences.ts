export type Json = Readonly<Record<string, unknown>>;

/** A field that is not the same any more. */
export interface Difference {
  /** JSON Pointer. */
  readonly path: string;
  /** Undefined where the field was not there. */
  readonly before: unknown;
  /** Undefined where the field is not there any more. */
  readonly after: unknown;
}

/** What lies deeper is compared as a whole. */
const deepest = 16;

/** Field by field, into objects but not into lists. A record that is not there has no fields. */
export const differences = (before: Json = {}, after: Json = {}): readonly Difference[] => {
  const found: Difference[] = [];
  const compare = (one: Json, other: Json, path: string, depth: number): void => {
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const [was, is] = [own(one, name), own(other, name)];
      const fieldPath = `${path}/${escaped(name)}`;
      if (depth < deepest && isObject(was) && isObject(is)) compare(was, is, fieldPath, depth + 1);
      else if (!isSame(was, is)) found.push({ path: fieldPath, before: was, after: is });
    }
  };
  compare(before, after, '', 1);
  return found;
};

const own = (fields: Json, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** All of it was JSON in the log, and an event that says the same again says it in its own order. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
