import type { ViewName, Views } from '@roomwire/shared/wire/views/views';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import type { ViewFilter, ViewReader } from '@roomwire/shared/ports/viewStore';
import { clampedLimit } from './clampedLimit.js';
import * as s from './schema.js';

type Sort = readonly (readonly [string, 1 | -1])[];

const pageFields = (orderable: readonly string[]) => ({
  page: s.integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: s.number({ description: 'Records on a page; clamped to 1-100', default: 10 }),
  orderBy: s.described(
    s.arrayOf(
      s.text({
        pattern: `^(?:${orderable.join('|')}):(?:ASC|DESC)$`,
        examples: [`${orderable[0]}:ASC`],
      }),
      10,
    ),
    `\`field:ASC\` or \`field:DESC\`, the most important first. Fields: ${orderable.join(', ')}`,
  ),
});

export type PageQuery = s.ObjectOf<ReturnType<typeof pageFields>>;

/** Query parameters of a paginated list, with the fields by which it may be ordered, and its filters. */
export const pageQuerySchema = <P extends Readonly<Record<string, s.JsonSchema>> = Record<never, never>>(
  orderable: readonly string[],
  filters?: P,
): s.Schema<PageQuery & s.ObjectOf<P>> => s.queryOf({ ...pageFields(orderable), ...filters });

/** The answer of a paginated list of records with the given title. */
export const pageOf = <T>(items: s.Schema<T>) =>
  s.titledObject(`${String(items['title'])}Page`, {
    data: s.listOf(items),
    pagination: s.titledObject('Pagination', { total: s.count, page: s.count, pageCount: s.count }),
  });

export type Page<T> = s.ValueOf<ReturnType<typeof pageOf<T>>>;

export const examplePage = <T>(item: T): Page<T> => ({
  data: [item],
  pagination: { total: 1, page: 1, pageCount: 1 },
});

/** One page of a view. Newest first by default, and between equals. */
export const findPage = async <V extends ViewName, T>(
  views: ViewReader,
  view: V,
  filter: ViewFilter,
  query: PageQuery,
  present: (doc: Views[V]) => T,
  orderFirst: Sort = [],
): Promise<Page<T>> => {
  const page = query.page ?? 1;
  const limit = clampedLimit(query.limit ?? 10, limitTable.pageRecords.value);
  const sort: Sort = [...orderFirst, ...(query.orderBy ?? []).map(readOrder), ['createdPosition', -1]];
  const [total, docs] = await Promise.all([
    views.count(view, filter),
    views.find(view, { filter, sort, skip: (page - 1) * limit, limit }),
  ]);
  return { data: docs.map(present), pagination: { total, page, pageCount: Math.ceil(total / limit) } };
};

const readOrder = (order: string): readonly [string, 1 | -1] => {
  const [field = '', direction] = order.split(':');
  return [field, direction === 'DESC' ? -1 : 1];
};

/** Matches text that contains the given text literally, in any case. */
export const containing = (text: string): ViewFilter => ({
  $regex: text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replaceAll('\0', String.raw`\x00`),
  $options: 'i',
});

export const newestFirst: Sort = [['createdPosition', -1]];
export const oldestFirst: Sort = [['createdPosition', 1]];

/** When a record was last used, ISO 8601; null for never. */
export const lastUseOf = async (usage: UsageReader, id: string): Promise<string | null> =>
  (await usage.lastUses([id])).get(id) ?? null;

/** Presents records with the times of their last uses, which are read in one query. */
export const presentUsed = async <T, Presented>(
  usage: UsageReader,
  records: readonly T[],
  idOf: (record: T) => string,
  present: (record: T, lastUsedAt: string | null) => Presented,
): Promise<Presented[]> => {
  const uses = await usage.lastUses(records.map(idOf));
  return records.map((record) => present(record, uses.get(idOf(record)) ?? null));
};
