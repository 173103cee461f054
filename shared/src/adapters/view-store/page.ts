import type { ViewQuery } from '../../ports/viewStore.js';
import { inOrder } from './ordering.js';

const checkCount = (name: 'skip' | 'limit', count: number): void => {
  if (!Number.isSafeInteger(count) || count < 0) throw new TypeError(`${name} takes a whole number from 0`);
};

/** Sorts, skips and limits what a query has found. */
export const page = <D extends Readonly<Record<string, unknown>>>(
  documents: readonly D[],
  { sort, skip = 0, limit }: Omit<ViewQuery, 'filter'>,
): D[] => {
  checkCount('skip', skip);
  if (limit !== undefined) checkCount('limit', limit);
  const end = limit === undefined ? documents.length : skip + limit;
  const ordered = sort ? inOrder(documents, sort, end) : documents;
  return ordered.slice(skip, end);
};
