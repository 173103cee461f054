import type { ViewQuery } from '../../ports/viewStore.js';
import { forEachInSlices, workSlices, type WorkSlices } from '../../runtime/workSlices.js';
import {
  entriesOf,
  sizeOf,
  type Candidates,
  type Collection,
  type Document,
  type Entry,
} from './collection.js';
import type { CompiledFilter } from './compiledFilter.js';
import { creationField, CreationOrder, placeOf } from './creationOrder.js';
import { checkCounts, page } from './ordering.js';

/*
 * Queries of the documents in memory. Those that look at few documents run in one turn of the event loop, all others in slices.
 * A sort compares the documents as they were when it began; a list in order of creation sees changes behind the place that it
 * has reached.
 */

/** Looking at so many documents takes well below a millisecond. */
const few = 500;

/** A list looks at so many at a time at least, however few are wanted. */
const fewest = 100;

export const findDocuments = async (
  collection: Collection,
  filter: CompiledFilter,
  query: Omit<ViewQuery, 'filter'>,
): Promise<Document[]> => {
  checkCounts(query);
  const candidates = collection.candidates(filter);
  const slices = workSlices();
  const direction = directionOfList(query);
  if (direction !== undefined && candidates instanceof CreationOrder)
    return listed(candidates, filter, { ...query, direction }, slices);
  return page(await matching(candidates, filter, slices), query, slices);
};

export const countDocuments = async (collection: Collection, filter: CompiledFilter): Promise<number> =>
  collection.knownCount(filter) ??
  (await matching(collection.candidates(filter), filter, workSlices())).length;

/** The direction of a query in order of creation. */
const directionOfList = ({ sort = [] }: Pick<ViewQuery, 'sort'>): 1 | -1 | undefined => {
  const [[field, direction] = []] = sort;
  return sort.length === 1 && field === creationField ? direction : undefined;
};

const matching = async (
  candidates: Candidates,
  filter: CompiledFilter,
  slices: WorkSlices,
): Promise<Document[]> => {
  const matches: Document[] = [];
  const addMatch = (document: Document): void => {
    if (filter.matches(document)) matches.push(document);
  };
  if (sizeOf(candidates) <= few) {
    for (const { document } of entriesOf(candidates)) addMatch(document);
    return matches;
  }
  // As they are now: they change while this waits.
  const documents = Array.from(entriesOf(candidates), ({ document }) => document);
  await slices.next();
  await forEachInSlices(documents, slices, addMatch);
  return matches;
};

const listed = async (
  entries: CreationOrder<Entry>,
  filter: CompiledFilter,
  { skip = 0, limit = Infinity, direction }: Omit<ViewQuery, 'filter'> & { readonly direction: 1 | -1 },
  slices: WorkSlices,
): Promise<Document[]> => {
  const found: Document[] = [];
  const bound = direction === 1 ? filter.createdAfter : filter.createdBefore;
  let place: Parameters<typeof entries.from>[0] = bound === undefined ? undefined : { position: bound };
  let toSkip = skip;
  // More than are wanted would mostly be taken in vain.
  const atOnce = Math.min(Math.max(skip + limit, fewest), few);
  while (found.length < limit) {
    const some = entries.from(place, direction, atOnce);
    for (const { document } of some) {
      if (!filter.matches(document)) continue;
      if (toSkip > 0) toSkip -= 1;
      else if (found.push(document) === limit) return found;
    }
    const last = some.at(-1);
    if (last === undefined || some.length < atOnce) return found;
    place = behind(last, direction);
    if (slices.isOver()) await slices.next();
  }
  return found;
};

/** The place behind an entry, in the direction. */
const behind = (entry: Entry, direction: 1 | -1): { position: unknown; id: string } => {
  const { position, id } = placeOf(entry);
  return { position, id: direction === 1 ? `${id}\0` : id };
};
