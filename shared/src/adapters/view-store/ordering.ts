import { resolve } from 'mingo/util';
import type { ViewQuery } from '../../ports/viewStore.js';
import { forEachInSlices, type WorkSlices } from '../../runtime/workSlices.js';

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

// Orders UTF-16 units by code point: surrogates sort after the rest of the plane.
const codePointRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** By code point, as MongoDB's default collation compares UTF-8; `<` compares UTF-16 units and differs above U+FFFF. */
const compareStrings = (a: string, b: string): number => {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
};

/** Scalars in MongoDB's order. Two nested documents, or two lists in a list, count as equal: no query sorts by them. */
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

type Sort = NonNullable<ViewQuery['sort']>;
type Document = Readonly<Record<string, unknown>>;
type Compare = (a: Document, b: Document) => number;

const reader = (path: string): ((document: Document) => unknown) =>
  path.includes('.') ? (document) => resolve(document, path) : (document) => document[path];

/** A list sorts by its least element, backwards by its greatest; an empty one comes before null. */
const sortValue = (value: unknown, direction: 1 | -1): unknown => {
  if (!Array.isArray(value)) return value ?? null;
  return (value as readonly unknown[]).reduce(
    (best, next) => (best === undefined || compareValues(next, best) * direction < 0 ? next : best),
    undefined,
  );
};

const compareBy = (path: string, direction: 1 | -1): Compare => {
  const read = reader(path);
  return (a, b) => compareValues(sortValue(read(a), direction), sortValue(read(b), direction)) * direction;
};

const compareByAll = (sort: Sort): Compare => {
  const [first, ...others] = sort.map(([path, direction]) => compareBy(path, direction));
  if (!first) return () => 0;
  return others.reduce((most, least) => (a, b) => most(a, b) || least(a, b), first);
};

/** Index after everything that is not greater. */
const insertionIndex = <D extends Document>(document: D, among: readonly D[], compare: Compare): number => {
  const [first] = among;
  // Documents mostly arrive in order of creation, and queries mostly ask for the newest first.
  if (first === undefined || compare(document, first) < 0) return 0;
  let from = 1;
  let to = among.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compare(document, among[middle] as D) < 0) to = middle;
    else from = middle + 1;
  }
  return from;
};

/** A page out of thousands needs no sorting of the rest. */
const least = async <D extends Document>(
  documents: readonly D[],
  wanted: number,
  compare: Compare,
  slices: WorkSlices,
): Promise<D[]> => {
  const best: D[] = [];
  await forEachInSlices(documents, slices, (document) => {
    const last = best[wanted - 1];
    if (last !== undefined && compare(document, last) >= 0) return;
    best.splice(insertionIndex(document, best, compare), 0, document);
    if (best.length > wanted) best.pop();
  });
  return best;
};

/** Documents that are sorted in one step. */
const runLength = 512;

/** A merge sort, since the built-in one does not pause. */
const sorted = async <D extends Document>(
  documents: readonly D[],
  compare: Compare,
  slices: WorkSlices,
): Promise<D[]> => {
  let runs: D[][] = [];
  for (let from = 0; from < documents.length; from += runLength) {
    if (slices.isOver()) await slices.next();
    runs.push(documents.slice(from, from + runLength).sort(compare));
  }
  while (runs.length > 1) {
    const longer: D[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(await merged(runs[at] ?? [], runs[at + 1] ?? [], compare, slices));
    runs = longer;
  }
  return runs[0] ?? [];
};

/** Of equal documents, those of the first run come first. */
const merged = async <D extends Document>(
  one: readonly D[],
  other: readonly D[],
  compare: Compare,
  slices: WorkSlices,
): Promise<D[]> => {
  const all: D[] = [];
  let taken = 0;
  await forEachInSlices(one, slices, (document) => {
    for (; taken < other.length && compare(other[taken] as D, document) < 0; taken += 1)
      all.push(other[taken] as D);
    all.push(document);
  });
  for (; taken < other.length; taken += 1) all.push(other[taken] as D);
  return all;
};

/** The first `wanted` in order, or more; documents that compare equal keep their order. */
const inOrder = <D extends Document>(
  documents: readonly D[],
  sort: Sort,
  wanted: number,
  slices: WorkSlices,
): Promise<D[]> => {
  const compare = compareByAll(sort);
  return wanted < documents.length / 8
    ? least(documents, wanted, compare, slices)
    : sorted(documents, compare, slices);
};

/** Throws a `TypeError` unless both are whole numbers from 0. */
export const checkCounts = ({ skip = 0, limit = 0 }: Pick<ViewQuery, 'skip' | 'limit'>): void => {
  for (const [name, count] of Object.entries({ skip, limit }))
    if (!Number.isSafeInteger(count) || count < 0) throw new TypeError(`${name} takes a whole number from 0`);
};

/** Sorts, skips and limits the results of a query, in slices. */
export const page = async <D extends Readonly<Record<string, unknown>>>(
  documents: readonly D[],
  { sort, skip = 0, limit }: Omit<ViewQuery, 'filter'>,
  slices: WorkSlices,
): Promise<D[]> => {
  const end = limit === undefined ? documents.length : skip + limit;
  const ordered = sort ? await inOrder(documents, sort, end, slices) : documents;
  return ordered.slice(skip, end);
};
