import { useEffect, useState } from 'react';
import { Loading } from '../../components/Loading.js';
import { Problem } from '../../components/Problem.js';
import { LiveBadge } from '../../components/LiveBadge.js';
import { useClientState, useObserver } from '../../session/useObserver.js';
import { MessageLine } from '../live/MessageLine.js';
import type { Spot } from '../live/model.js';
import { PublishForm } from '../live/PublishForm.js';
import { entryOfMessage } from '../live/shownEntry.js';
import { useFeedView } from '../live/useFeedView.js';
import { useWatch } from '../live/useWatch.js';

interface WatchStepProps {
  readonly spot: Spot;
  readonly onSeen: () => void;
}

/** The newest that are shown here; the live room has the others. */
const most = 8;

export const WatchStep = ({ spot, onSeen }: WatchStepProps) => {
  const { address, filters, hasHistory } = spot;
  const client = useObserver();
  const connection = useClientState(client);
  const { feed, state } = useWatch(client, { topic: address, filters, hasHistory });
  const { rows, total } = useFeedView(feed);
  useEffect(() => {
    if (total > 0) onSeen();
  }, [total, onSeen]);
  const isLive = connection?.name === 'connected' && state.name === 'watching';
  const [hasBegun, setBegun] = useState(false);
  useEffect(() => {
    if (isLive) setBegun(true);
  }, [isLive]);
  return (
    <div className="watch-step">
      {/* What is published before the page listens would never be seen. */}
      {hasBegun ? <PublishForm spot={spot} isPlain /> : <Loading what="the topic" />}
      <div className="stack">
        <div className="live-head">
          <h3>What subscribers get</h3>
          <LiveBadge state={isLive ? 'live' : connection?.name === 'waiting' ? 'lost' : 'waiting'} />
        </div>
        {'error' in state && <Problem error={state.error} />}
        {total === 0 && (
          <p className="muted">This page listens to the topic. Publish, and the message comes here.</p>
        )}
        <ul className="first-messages" aria-label="Messages that came" aria-live="polite">
          {rows.slice(0, most).map((row) => (
            <li key={row.key}>
              {row.kind === 'note' ? row.text : <MessageLine entry={entryOfMessage(row)} />}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
};
