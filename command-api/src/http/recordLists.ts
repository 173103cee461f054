import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import type { ViewFilter, ViewReader } from '@roomwire/shared/ports/viewStore';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { ViewName, Views } from '@roomwire/shared/wire/views/views';
import { clampedLimit } from './clampedLimit.js';
import { containing } from './listing.js';
import type { RecordParts } from './sendJson.js';
import * as s from './schema.js';

/*
 * Lists that are whole, or in pages where the query asks for a page. Both are read in the order of creation, in parts and while
 * they are sent: a record that is created or removed meanwhile may be missing, every other one is there once.
 */

const placePattern = '^[0-9-]{1,60}$';

const placeFields = {
  limit: s.number({
    description:
      'Records on a page; clamped to 1-1000. Without `limit` and `cursor` the answer is the whole list',
  }),
  cursor: s.text({
    pattern: placePattern,
    description: '`next` of the previous page. 100 records where there is no `limit`',
  }),
};

/** Of a list that is always answered in pages. */
export const recordPageQuery = s.queryOf({
  limit: s.number({ description: 'Records on a page; clamped to 1-1000', default: 100 }),
  cursor: s.text({ pattern: placePattern, description: '`next` of the previous page' }),
});

const nameFilter = { name: s.text({ description: 'A part of the name, in any case' }) };
const slugFilter = { slug: s.text({ description: 'The exact slug' }) };

export const grantListQuery = s.queryOf(placeFields);
export const actorListQuery = s.queryOf({ ...placeFields, ...nameFilter });
export const roomListQuery = s.queryOf({ ...placeFields, ...nameFilter, ...slugFilter });

type ListQuery = s.ValueOf<typeof roomListQuery>;

/** A page of records. */
export const recordPageOf = <T>(items: s.Schema<T>) =>
  s.titledObject(`${String(items['title'])}Page`, {
    data: s.described(s.listOf(items), 'Newest first'),
    next: s.described(s.orNull(s.text()), '`cursor` of the next page; null on the last one'),
  });

/** The answer: the list of records, or a page of it. */
export const listOrPageOf = <T>(items: s.Schema<T>) => s.either(s.listOf(items), recordPageOf(items));

/** The filter by a part of the name. */
export const named = ({ name }: Pick<ListQuery, 'name'>): ViewFilter =>
  name === undefined ? {} : { name: containing(name) };

const defaultLimit = 100;

/** Read at once: a record may have a MiB. */
const readAtOnce = 100;

type Direction = 'newest first' | 'oldest first';
type Listed = {
  readonly [V in ViewName]: Views[V] extends { createdPosition: string } ? V : never;
}[ViewName];
type Present<Doc, T> = (docs: readonly Doc[]) => readonly T[] | Promise<readonly T[]>;

/** The whole list in its direction, or the page that the query asks for, newest first. */
export const listOrPage = <V extends Listed, T>(
  views: ViewReader,
  view: V,
  filter: ViewFilter,
  query: Pick<ListQuery, 'limit' | 'cursor'>,
  direction: Direction,
  present: Present<Views[V], T>,
): RecordParts<T> => {
  const { limit, cursor } = query;
  if (limit === undefined && cursor === undefined) return wholeList(views, view, filter, direction, present);
  const most = recordsOnPage(limit);
  const stretch: Stretch = { direction: 'newest first', after: cursor, most, next: null };
  const parts = partsOf(views, view, filter, stretch, present);
  return { parts, next: () => stretch.next };
};

/** A page of small records, newest first. */
export const recordPage = async <V extends Listed, T>(
  views: ViewReader,
  view: V,
  filter: ViewFilter,
  { limit, cursor }: s.ValueOf<typeof recordPageQuery>,
  present: (doc: Views[V]) => T,
): Promise<{ readonly data: readonly T[]; readonly next: string | null }> => {
  const most = recordsOnPage(limit);
  const beyond = cursor === undefined ? {} : { createdPosition: { $lt: cursor } };
  const sort = [['createdPosition', -1]] as const;
  // One more than is wanted tells whether there is a next page.
  const docs = await views.find(view, { filter: { ...filter, ...beyond }, sort, limit: most + 1 });
  const page = docs.slice(0, most);
  const last = docs.length > most ? page.at(-1) : undefined;
  return { data: page.map(present), next: last?.createdPosition ?? null };
};

const recordsOnPage = (limit = defaultLimit): number => clampedLimit(limit, limitTable.listRecords.value);

export const wholeList = <V extends Listed, T>(
  views: ViewReader,
  view: V,
  filter: ViewFilter,
  direction: Direction,
  present: Present<Views[V], T>,
): RecordParts<T> => {
  const stretch: Stretch = { direction, after: undefined, most: Infinity, next: null };
  return { parts: partsOf(views, view, filter, stretch, present) };
};

/** A part of a list. */
interface Stretch {
  readonly direction: Direction;
  readonly after: LogPosition | undefined;
  readonly most: number;
  /** Where the next one begins, once it has been read and where there are more records. */
  next: string | null;
}

async function* partsOf<V extends Listed, T>(
  views: ViewReader,
  view: V,
  filter: ViewFilter,
  stretch: Stretch,
  present: Present<Views[V], T>,
): AsyncIterable<readonly T[]> {
  const direction = stretch.direction === 'newest first' ? -1 : 1;
  let wanted = stretch.most;
  for (let { after } = stretch; ;) {
    // One more than is wanted tells whether there is a next page.
    const limit = Math.min(readAtOnce, wanted + 1);
    const beyond =
      after === undefined ? {} : { createdPosition: { [direction === 1 ? '$gt' : '$lt']: after } };
    const sort = [['createdPosition', direction]] as const;
    const docs = await views.find(view, { filter: { ...filter, ...beyond }, sort, limit });
    const part = docs.slice(0, wanted);
    if (part.length > 0) yield await present(part);
    after = part.at(-1)?.createdPosition ?? after;
    if (docs.length > part.length && after !== undefined) stretch.next = after;
    if (docs.length < limit || docs.length > part.length) return;
    wanted -= part.length;
  }
}
