import { inspect } from 'node:util';

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const without = (fields: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** What a field says that is to be a text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A difference is a line that says where and what; undefined where the value is as expected. */
type Matcher = (expected: unknown, actual: unknown, path?: string) => string | undefined;

const shown = (value: unknown): string =>
  inspect(value, { depth: 6, breakLength: Infinity, maxStringLength: 200 });

const unless = (holds: boolean, expected: string, actual: unknown, path = ''): string | undefined =>
  holds ? undefined : `${path || 'it'} is ${shown(actual)}, and not ${expected}`;

/** What an expectation may say instead of a value, as an object with this one key. */
const matchers: Readonly<Record<string, Matcher>> = {
  $any: (_, actual, path) => unless(actual != null, 'there', actual, path),
  $absent: (_, actual, path) => unless(actual == null, 'absent', actual, path),
  $above: (least, actual, path) =>
    unless(typeof actual === 'number' && actual > Number(least), `above ${Number(least)}`, actual, path),
  $not: (expected, actual, path) =>
    unless(differenceOf(expected, actual, path) !== undefined, `other than ${shown(expected)}`, actual, path),
  $matches: (pattern, actual, path) =>
    unless(
      typeof actual === 'string' && new RegExp(String(pattern)).test(actual),
      `like ${String(pattern)}`,
      actual,
      path,
    ),
  $contains: (parts, actual, path) =>
    unless(
      Array.isArray(actual) &&
        asList(parts).every((part) => actual.some((item) => differenceOf(part, item) === undefined)),
      `a list with ${shown(parts)}`,
      actual,
      path,
    ),
};

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/**
 * Where `actual` is not as expected. Of an object the fields that are expected count, of a list each entry; null is as good
 * as absent.
 */
export const differenceOf: Matcher = (expected, actual, path = '') => {
  if (Array.isArray(expected)) return differenceOfLists(expected, actual, path);
  if (!isFields(expected))
    return unless((expected ?? null) === (actual ?? null), shown(expected), actual, path);
  const [key = '', ...others] = Object.keys(expected);
  const matcher = others.length === 0 ? matchers[key] : undefined;
  if (matcher !== undefined) return matcher(expected[key], actual, path);
  if (!isFields(actual)) return unless(false, shown(expected), actual, path);
  return firstOf(
    Object.entries(expected).map(
      ([name, value]) =>
        () =>
          differenceOf(value, actual[name], path === '' ? name : `${path}.${name}`),
    ),
  );
};

const differenceOfLists = (
  expected: readonly unknown[],
  actual: unknown,
  path: string,
): string | undefined => {
  if (!Array.isArray(actual) || actual.length !== expected.length)
    return unless(false, shown(expected), actual, path);
  return firstOf(expected.map((item, index) => () => differenceOf(item, actual[index], `${path}[${index}]`)));
};

const firstOf = (looks: readonly (() => string | undefined)[]): string | undefined => {
  for (const look of looks) {
    const found = look();
    if (found !== undefined) return found;
  }
  return undefined;
};
