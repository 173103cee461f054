import type { ReactNode } from 'react';
import { Button } from './Button.js';
import type { Rows } from './DataTable.js';
import { Loading } from './Loading.js';
import { Problem } from './Problem.js';
import { Time } from './Time.js';

interface TimelineProps<Entry> {
  /** What the entries are: `Changes`. */
  readonly label: string;
  readonly query: Rows<Entry>;
  readonly keyOf: (entry: Entry) => string;
  readonly timeOf: (entry: Entry) => string;
  readonly entry: (entry: Entry) => ReactNode;
  readonly empty: ReactNode;
  /** Of the button that reads on. */
  readonly more: string;
}

/** Entries with their times, one below the other. */
export const Timeline = <Entry,>(props: TimelineProps<Entry>) => {
  const { label, query, keyOf, timeOf, entry, empty, more } = props;
  const { rows, error, refetch, hasMore, isLoadingMore, loadMore } = query;
  if (rows === undefined)
    return error ? <Problem error={error} retry={refetch} /> : <Loading what={label.toLowerCase()} />;
  if (rows.length === 0 && !hasMore) return <>{empty}</>;
  return (
    <>
      {error && <Problem error={error} retry={refetch} />}
      {rows.length === 0 ? (
        <p className="muted">Nothing so far in what was looked through.</p>
      ) : (
        <ol className="timeline" aria-label={label}>
          {rows.map((each) => (
            <li key={keyOf(each)}>
              <span className="timeline-time">
                <Time at={timeOf(each)} exact />
              </span>
              <div>{entry(each)}</div>
            </li>
          ))}
        </ol>
      )}
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
