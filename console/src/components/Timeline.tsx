import type { ReactNode } from 'react';
import { PagedRows, type Rows } from './PagedRows.js';
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
  return (
    <PagedRows label={label} query={query} empty={empty} more={more}>
      {(rows) =>
        rows.length > 0 && (
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
        )
      }
    </PagedRows>
  );
};
