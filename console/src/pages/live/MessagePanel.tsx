import { useState } from 'react';
import { Button } from '../../components/Button.js';
import { CodeDisclosure } from '../../components/CodeDisclosure.js';
import { VirtualList } from '../../components/VirtualList.js';
import type { FeedRow, FeedView, MessageFeed } from './messageFeed.js';
import { MessageLine } from './MessageLine.js';
import type { Spot } from './model.js';
import { entryOfMessage, type ShownEntry } from './shownEntry.js';
import { watchSnippets } from './snippets.js';
import { useFeedView } from './useFeedView.js';

interface MessagePanelProps {
  readonly feed: MessageFeed;
  readonly spot: Spot;
  readonly selected: ShownEntry | undefined;
  readonly onSelect: (entry: ShownEntry) => void;
}

export const rowHeight = 30;

const number = new Intl.NumberFormat('en');

export const MessagePanel = ({ feed, spot, selected, onSelect }: MessagePanelProps) => {
  const view = useFeedView(feed);
  const [held, setHeld] = useState<HeldRows>();
  const isHeld = held?.feed === feed;
  const rows = isHeld ? held.rows : view.rows;
  const hold = (isPaused: boolean): void => setHeld({ feed, rows, isPaused });
  const selectedRow = rows.find((row) => row.kind === 'message' && entryOfMessage(row).key === selected?.key);

  return (
    <div className="message-panel">
      <div className="message-head">
        <Rates view={view} />
        <span className="message-actions">
          <Button look="quiet" onPress={() => (isHeld ? setHeld(undefined) : hold(true))}>
            {isHeld ? 'Go on' : 'Pause'}
          </Button>
          <Button
            look="quiet"
            onPress={() => {
              feed.clear();
              setHeld(undefined);
            }}
          >
            Clear
          </Button>
        </span>
      </div>
      <p role="status" className={isHeld ? 'notice held-notice' : 'visually-hidden'}>
        {isHeld && 'The list stands still while you read it; messages are counted meanwhile.'}
      </p>
      {rows.length === 0 ? (
        <p className="message-none muted">
          No message yet. Those that are published from now on show here, at once.
        </p>
      ) : (
        <VirtualList<FeedRow>
          label="Messages, the newest first"
          {...{ rows, rowHeight }}
          keyOf={({ key }) => key}
          selected={selectedRow}
          onSelect={(row) => row.kind === 'message' && onSelect(entryOfMessage(row))}
          // Whoever scrolls back reads: nothing moves under the eyes.
          onScroll={(top) => {
            if (top > rowHeight && !isHeld) hold(false);
            if (top === 0 && isHeld && !held.isPaused) setHeld(undefined);
          }}
          render={(row) =>
            row.kind === 'note' ? (
              <div className="message-note">{row.text}</div>
            ) : (
              <MessageLine entry={entryOfMessage(row)} skipped={row.skipped} />
            )
          }
        />
      )}
      <CodeDisclosure label="Watch this topic" snippets={watchSnippets(spot)} />
    </div>
  );
};

interface HeldRows {
  readonly feed: MessageFeed;
  readonly rows: readonly FeedRow[];
  /** By the button, and not by scrolling. */
  readonly isPaused: boolean;
}

/** The count is of every message; what is sampled is said. */
const Rates = ({ view: { total, perSecond, shownPerSecond } }: { readonly view: FeedView }) => (
  <span className="message-rates">
    <span>
      <strong>{number.format(total)}</strong> {total === 1 ? 'message' : 'messages'}
    </span>
    {shownPerSecond < perSecond ? (
      <span className="badge warn">
        Sampled: showing {number.format(shownPerSecond)} of {number.format(perSecond)}/s
      </span>
    ) : (
      perSecond > 0 && <span className="muted">{number.format(perSecond)}/s</span>
    )}
  </span>
);
