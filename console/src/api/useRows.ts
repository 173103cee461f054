import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query';
import type { Rows } from '../components/DataTable.js';

/** A page of a list, of either kind that the API has. */
type ListPage<Row> =
  | { readonly data: readonly Row[]; readonly next: string | null }
  | {
      readonly data: readonly Row[];
      readonly pagination: { readonly page: number; readonly pageCount: number };
    };

interface RowsOptions<Row> {
  readonly queryKey: QueryKey;
  /** Reads the page behind a cursor, or the page of a number. */
  readonly read: (at: Position) => Promise<ListPage<Row>>;
  /** Milliseconds between reads; not read again by itself without. */
  readonly refetchInterval?: number;
  readonly enabled?: boolean;
}

interface Position {
  readonly cursor?: string;
  readonly page?: number;
}

const firstPosition: Position = {};

/** The rows of a list, a page at a time, for a `DataTable`. */
export const useRows = <Row>({ queryKey, read, ...options }: RowsOptions<Row>): Rows<Row> => {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: firstPosition,
    getNextPageParam: (last) => nextPosition(last),
    ...options,
  });
  return {
    rows: query.data?.pages.flatMap(({ data }) => data),
    error: query.error,
    refetch: query.refetch,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: query.fetchNextPage,
  };
};

const nextPosition = (last: ListPage<unknown>): Position | undefined => {
  if ('next' in last) return last.next === null ? undefined : { cursor: last.next };
  const { page, pageCount } = last.pagination;
  return page < pageCount ? { page: page + 1 } : undefined;
};
