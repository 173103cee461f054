import type { ViewName, Views } from '@roomwire/shared/contracts/views/views';
import type { ViewFilter, ViewStore } from '@roomwire/shared/ports/viewStore';
import type { JsonSchema } from './route.js';
import { arrayOf } from './schemas.js';

export interface PageQuery {
  readonly page?: number;
  readonly limit?: number;
  readonly orderBy?: readonly string[];
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly total: number; readonly page: number; readonly pageCount: number };
}

type Sort = readonly (readonly [string, 1 | -1])[];

/** Query parameters of a paginated list, with the fields by which it may be ordered, and its filters. */
export const pageQuerySchema = (
  orderable: readonly string[],
  filters: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, maximum: 1_000_000_000 },
    limit: { type: 'number' },
    orderBy: arrayOf({ type: 'string', pattern: `^(?:${orderable.join('|')}):(?:ASC|DESC)$` }, 10),
    ...filters,
  },
});

/** One page of a view. Newest first where the caller asks for no order, and between equals. */
export const findPage = async <V extends ViewName, T>(
  views: ViewStore,
  view: V,
  filter: ViewFilter,
  query: PageQuery,
  present: (doc: Views[V]) => T,
  orderFirst: Sort = [],
): Promise<Page<T>> => {
  const page = query.page ?? 1;
  const limit = Math.min(100, Math.max(1, Math.trunc(query.limit ?? 10)));
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

/** Matches text that contains the given text, whatever its case; nothing in it is special. */
export const containing = (text: string): ViewFilter => ({
  $regex: text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'),
  $options: 'i',
});

export const newestFirst: Sort = [['createdPosition', -1]];
export const oldestFirst: Sort = [['createdPosition', 1]];
