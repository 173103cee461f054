import type { Rows } from './DataTable.js';

/** Rows that are all there, for a `DataTable`. */
export const wholeRows = <Row>(rows: readonly Row[]): Rows<Row> => ({
  rows,
  error: null,
  refetch: () => undefined,
  hasMore: false,
  isLoadingMore: false,
  loadMore: () => undefined,
});
