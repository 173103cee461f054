import { resolve } from 'mingo/util';
import type { ViewQuery } from '../../ports/viewStore.js';
import { compareValues } from './valueOrder.js';

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

/** Place after everything that is not greater. */
const placeFor = <D extends Document>(document: D, among: readonly D[], compare: Compare): number => {
  const [first] = among;
  // Documents mostly come in the order of their creation, and the newest are asked for first.
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
const least = <D extends Document>(documents: readonly D[], wanted: number, compare: Compare): D[] => {
  const kept: D[] = [];
  for (const document of documents) {
    const last = kept[wanted - 1];
    if (last !== undefined && compare(document, last) >= 0) continue;
    kept.splice(placeFor(document, kept, compare), 0, document);
    if (kept.length > wanted) kept.pop();
  }
  return kept;
};

/** The first `wanted` in order, or more; documents that compare equal keep their order. */
export const inOrder = <D extends Document>(documents: readonly D[], sort: Sort, wanted: number): D[] => {
  const compare = compareByAll(sort);
  return wanted < documents.length / 8 ? least(documents, wanted, compare) : [...documents].sort(compare);
};
