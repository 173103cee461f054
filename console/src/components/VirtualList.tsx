import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly render: (row: Row) => ReactNode;
  /** Pixels; all rows have it. */
  readonly rowHeight: number;
  readonly selected: Row | undefined;
  readonly onSelect: (row: Row) => void;
  /** Told how far it is scrolled. */
  readonly onScroll?: (top: number) => void;
  /** Told that the end is near. */
  readonly onEnd?: () => void;
}

/** Rows above and below what is seen. */
const spare = 6;

/** A list of any length, of which only what is seen is in the page. Chosen from by the pointer or the arrow keys. */
export const VirtualList = <Row,>(props: VirtualListProps<Row>) => {
  const { label, rows, keyOf, render, rowHeight, selected, onSelect, onScroll, onEnd } = props;
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(0);
  const id = useId();

  useEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + spare);
  const chosen = selected === undefined ? -1 : rows.findIndex((row) => keyOf(row) === keyOf(selected));
  const isNearEnd = last >= rows.length && height > 0;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, rows.length, onEnd]);

  const choose = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    onSelect(row);
    scrollTo(list.current, index, rowHeight);
  };

  const move = (event: KeyboardEvent): void => {
    const to = targetOf(event.key, chosen, rows.length, Math.max(1, Math.floor(height / rowHeight) - 1));
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  };

  return (
    <div
      ref={list}
      className="virtual-list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={chosen >= first && chosen < last ? `${id}-${chosen}` : undefined}
      onKeyDown={move}
      onScroll={({ currentTarget }) => {
        setTop(currentTarget.scrollTop);
        onScroll?.(currentTarget.scrollTop);
      }}
    >
      <div role="presentation" style={{ height: rows.length * rowHeight }}>
        {rows.slice(first, last).map((row, offset) => {
          const index = first + offset;
          return (
            <div
              key={keyOf(row)}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              aria-posinset={index + 1}
              aria-setsize={rows.length}
              className="virtual-row"
              style={{ height: rowHeight, transform: `translateY(${index * rowHeight}px)` }}
              onClick={() => onSelect(row)}
            >
              {render(row)}
            </div>
          );
        })}
      </div>
    </div>
  );
};

const targetOf = (key: string, chosen: number, count: number, page: number): number | undefined => {
  if (count === 0) return undefined;
  const at = (index: number): number => Math.min(count - 1, Math.max(0, index));
  switch (key) {
    case 'ArrowDown':
      return at(chosen + 1);
    case 'ArrowUp':
      return at(chosen - 1);
    case 'PageDown':
      return at(chosen + page);
    case 'PageUp':
      return at(chosen - page);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
};

const scrollTo = (list: HTMLDivElement | null, index: number, rowHeight: number): void => {
  if (list === null) return;
  const from = index * rowHeight;
  if (from < list.scrollTop) list.scrollTop = from;
  else if (from + rowHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = from + rowHeight - list.clientHeight;
};
