import type { ReactNode } from 'react';
import { Button } from './Button.js';
import { Loading } from './Loading.js';
import { Problem } from './Problem.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the end. */
  readonly align?: 'end';
  /** The column of buttons, whose title only screen readers need. */
  readonly isActions?: boolean;
}

/** What reads the rows: a query of pages (`useRows`), or anything of its shape. */
export interface Rows<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => unknown;
}

interface DataTableProps<Row> {
  /** What the rows are: `Actors`. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly query: Rows<Row>;
  /** Instead of a table without rows. */
  readonly empty: ReactNode;
}

/** A table that becomes a list of cards where it is narrow, which would otherwise take its roles from it. */
export const DataTable = <Row,>({ label, columns, keyOf, query, empty }: DataTableProps<Row>) => {
  const { rows, error, refetch, hasMore, isLoadingMore, loadMore } = query;
  if (rows === undefined)
    return error ? <Problem error={error} retry={refetch} /> : <Loading what={label.toLowerCase()} />;
  // A page without rows is not the last one where the service looks through a part at a time.
  if (rows.length === 0 && !hasMore) return <>{empty}</>;
  return (
    <>
      {error && <Problem error={error} retry={refetch} />}
      {rows.length === 0 && <p className="muted">Nothing so far in what was looked through.</p>}
      <table className="data-table" role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, align, isActions }) => (
              <th key={title} role="columnheader" scope="col" className={align}>
                <span className={isActions ? 'visually-hidden' : undefined}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map(({ title, cell, align, isActions }) => (
                <td
                  key={title}
                  role="cell"
                  data-title={isActions ? undefined : title}
                  className={isActions ? 'actions' : align}
                >
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {hasMore && (
        <Button
          look="secondary"
          className="load-more"
          isPending={isLoadingMore}
          onPress={() => void loadMore()}
        >
          Show more
        </Button>
      )}
    </>
  );
};
