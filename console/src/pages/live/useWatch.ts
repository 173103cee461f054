import type { Client, Filter, Subscription } from '@roomwire/sdk';
import { useEffect, useRef, useState } from 'react';
import { MessageFeed } from './messageFeed.js';

export interface Watched {
  /** `app/room/topic` */
  readonly topic: string;
  readonly filters: readonly Filter[];
  /** The topic keeps its messages: the newest are shown first, and none is missing after the connection was lost. */
  readonly hasHistory: boolean;
}

export type WatchState =
  { readonly name: 'beginning' | 'watching' } | { readonly name: 'refused' | 'ended'; readonly error: Error };

/** Of before, so that a quiet topic is not empty. */
const rewind = 20;

/** Follows a topic, with a feed for each; nothing is left of it when another is followed. Another list of filters is another subscription. */
export const useWatch = (
  client: Client | undefined,
  { topic, filters, hasHistory }: Watched,
): { readonly feed: MessageFeed; readonly state: WatchState } => {
  const [feed, setFeed] = useState(() => new MessageFeed());
  const [state, setState] = useState<WatchState>({ name: 'beginning' });
  // A client takes a topic with other options only once the subscription before is gone.
  const before = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => {
    if (client === undefined) return undefined;
    const made = new MessageFeed();
    setFeed(made);
    setState({ name: 'beginning' });
    const begun = before.current.then(() => begin(client, made, { topic, filters, hasHistory }));
    let isOver = false;
    begun.then(
      async ({ ended }) => {
        if (!isOver) setState({ name: 'watching' });
        const error = await ended;
        if (!isOver && error !== undefined) setState({ name: 'ended', error });
      },
      (error: Error) => {
        if (!isOver) setState({ name: 'refused', error });
      },
    );
    const stopNoting = hasHistory ? undefined : noteLosses(client, made);
    return () => {
      isOver = true;
      stopNoting?.();
      before.current = begun.then(
        (subscription) => subscription.unsubscribe(),
        () => undefined,
      );
    };
  }, [client, topic, filters, hasHistory]);

  return { feed, state };
};

const begin = (
  client: Client,
  feed: MessageFeed,
  { topic, filters, hasHistory }: Watched,
): Promise<Subscription> =>
  client.subscribe(topic, (message) => feed.add(message), {
    meta: true,
    ...(filters.length > 0 ? { filters } : {}),
    ...(hasHistory
      ? { rewind, resume: true, onGap: ({ reason }) => feed.note(`Messages are missing here: ${reason}`) }
      : {}),
  });

/** Says in the list where the connection was away: what came meanwhile is nowhere. */
const noteLosses = (client: Client, feed: MessageFeed): (() => void) => {
  let isLost = false;
  return client.on('state', ({ name }) => {
    if (name === 'waiting' && !isLost) {
      isLost = true;
      feed.note('The connection was lost. What is published now is not shown later.');
    }
    if (name === 'connected' && isLost) {
      isLost = false;
      feed.note('Connected again.');
    }
  });
};
