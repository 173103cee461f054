import type { Published, PublishOptions } from '@roomwire/sdk';
import { useSyncExternalStore } from 'react';
import { feedOf } from './feed.js';
import { MessageFeed, type MessagesState } from './messageFeed.js';
import { useRoomwire } from './provider.js';

export interface MessagesOptions {
  /** On a topic with history: how many of the newest messages the list begins with; none is missing after a reconnect then. */
  readonly rewind?: number;
  /** How many of the newest messages the list keeps, besides those that `loadEarlier` has brought; 1,000 by default. */
  readonly keep?: number;
}

export interface Messages extends MessagesState {
  /** Brings older messages, 50 by default, of a topic with history; rejects as `client.history` does. */
  loadEarlier(count?: number): Promise<void>;
  /** Publishes to the topic, and puts the message into the list once it is accepted, or with `deliverAt` when it comes; rejects as `client.publish` does. */
  publish(data: unknown, options?: PublishOptions): Promise<Published>;
}

/** The messages of a topic as a list, what was before and what comes, the own ones too. */
export const useMessages = (topic: string, { rewind, keep = 1_000 }: MessagesOptions = {}): Messages => {
  const client = useRoomwire();
  const options = { rewind, keep };
  const feed = feedOf(client, ['messages', topic, options], () => new MessageFeed(client, topic, options));
  const state = useSyncExternalStore(feed.watch, feed.snapshot, feed.snapshotOnServer);
  const { loadEarlier, publish } = feed;
  return { ...state, loadEarlier, publish };
};
