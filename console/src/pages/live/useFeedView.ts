import { useEffect, useState } from 'react';
import type { FeedView, MessageFeed } from './messageFeed.js';

/** So often the page shows what came: often enough to look live, seldom enough to stay quick whatever the rate. */
const showEveryMs = 200;

const isSame = (one: FeedView, other: FeedView): boolean =>
  one.rows === other.rows &&
  one.total === other.total &&
  one.perSecond === other.perSecond &&
  one.shownPerSecond === other.shownPerSecond;

export const useFeedView = (feed: MessageFeed): FeedView => {
  const [view, setView] = useState(() => feed.view());
  useEffect(() => {
    const show = (): void => {
      const next = feed.view();
      setView((before) => (isSame(before, next) ? before : next));
    };
    show();
    const timer = setInterval(show, showEveryMs);
    return () => clearInterval(timer);
  }, [feed]);
  return view;
};
