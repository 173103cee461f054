import type { ReactNode } from 'react';
import { Button } from './Button.js';
import { Loading } from './Loading.js';
import { Problem } from './Problem.js';

/** What reads the rows: a query of pages (`useRows`), or anything of its shape. */
export interface Rows<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => unknown;
}

interface PagedRowsProps<Row> {
  /** What the rows are: `Actors`. */
  readonly label: string;
  readonly query: Rows<Row>;
  /** Where there are none. */
  readonly empty: ReactNode;
  /** Of the button that reads on. */
  readonly more?: string;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

/** What is around rows that are read page by page: waiting, failures, that there are none, and reading on. */
export const PagedRows = <Row,>(props: PagedRowsProps<Row>) => {
  const { label, query, empty, more = 'Show more', children } = props;
  const { rows, error, refetch, hasMore, isLoadingMore, loadMore } = query;
  if (rows === undefined)
    return error ? <Problem error={error} retry={refetch} /> : <Loading what={label.toLowerCase()} />;
  // A page without rows is not the last one where the service looks through a part at a time.
  if (rows.length === 0 && !hasMore) return <>{empty}</>;
  return (
    <>
      {error && <Problem error={error} retry={refetch} />}
      {rows.length === 0 && <p className="muted">Nothing so far in what was looked through.</p>}
      {children(rows)}
      {hasMore && (
        <Button
          look="secondary"
          className="load-more"
          isPending={isLoadingMore}
          onPress={() => void loadMore()}
        >
          {more}
        </Button>
      )}
    </>
  );
};
