import type { ReactNode } from 'react';
import { PagedRows, type Rows } from './PagedRows.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the end. */
  readonly align?: 'end';
  /** The column of buttons, whose title only screen readers need. */
  readonly isActions?: boolean;
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
export const DataTable = <Row,>({ label, columns, keyOf, query, empty }: DataTableProps<Row>) => (
  <PagedRows label={label} query={query} empty={empty}>
    {(rows) => (
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
    )}
  </PagedRows>
);
