import { resolve } from 'mingo/util';

/** MongoDB's order of the values that JSON has: an empty list (when sorting), null and missing, numbers, and so on. */
const rank = (value: unknown): number => {
  switch (typeof value) {
    case 'undefined':
      return 0;
    case 'number':
      return 2;
    case 'string':
      return 3;
    case 'boolean':
      return 6;
    default:
      return value === null ? 1 : Array.isArray(value) ? 5 : 4;
  }
};

// UTF-16 units in the order of the code points that they belong to: surrogates come after the rest of the plane.
const codePointRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** By code point, as MongoDB's default collation compares UTF-8; `<` compares UTF-16 units and differs above U+FFFF. */
export const compareStrings = (a: string, b: string): number => {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
};

/** Scalars in MongoDB's order. Two nested documents, or two lists in a list, count as equal: nobody sorts by them. */
export const compareValues = (a: unknown, b: unknown): number => {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return rank(a) - rank(b);
};

/** Every value at a path that a condition may match: the value itself, or the elements of a list. */
export const valuesAt = (document: object, path: string): readonly unknown[] => {
  const value = resolve(document as Record<string, unknown>, path, { unwrapArray: true });
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
};
