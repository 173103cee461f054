import type { ReactNode } from 'react';
import { DataTable, type Column } from './DataTable.js';

interface PlainTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly rows: readonly Row[];
  readonly empty: ReactNode;
}

const nothing = (): void => undefined;

/** A table of rows that are all there. */
export const PlainTable = <Row,>({ rows, ...table }: PlainTableProps<Row>) => (
  <DataTable
    {...table}
    query={{ rows, error: null, refetch: nothing, hasMore: false, isLoadingMore: false, loadMore: nothing }}
  />
);
