import { useInfiniteQuery, type QueryKey } from '@tanstack/react-query';
import type { Rows } from '../components/PagedRows.js';
import { nextPosition, rowsOf, type ListAnswer, type Position } from './pages.js';

interface RowsOptions<Row> {
  readonly queryKey: QueryKey;
  /** Reads the page behind a cursor, or the page of a number. */
  readonly read: (at: Position) => Promise<ListAnswer<Row>>;
  /** Milliseconds between reads; not read again by itself without. */
  readonly refetchInterval?: number;
  readonly enabled?: boolean;
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
    rows: query.data?.pages.flatMap(rowsOf),
    error: query.error,
    refetch: query.refetch,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: query.fetchNextPage,
  };
};
