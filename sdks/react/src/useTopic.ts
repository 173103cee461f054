import type { MessageHandler, Published, PublishOptions, SubscribeOptions } from '@roomwire/sdk';
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { feedOf } from './feed.js';
import { useRoomwire } from './provider.js';
import type { SubscriptionState } from './subscribeWhile.js';
import { TopicFeed } from './topicFeed.js';

export interface Topic extends SubscriptionState {
  /** Publishes to the topic; rejects as `client.publish` does. */
  publish(data: unknown, options?: PublishOptions): Promise<Published>;
}

const idle: SubscriptionState = { status: 'idle', error: undefined };
const never = (): (() => void) => () => undefined;

/**
 * Calls the handler with each message of a topic while the component is mounted; always the handler of the last render. Without a topic
 * nothing is subscribed. Components with the same topic must have the same options, which may be new objects at each render. With others the
 * former subscription ends, and then another one begins.
 */
export const useTopic = (
  topic: string | undefined,
  onMessage: MessageHandler,
  options: SubscribeOptions = {},
): Topic => {
  const client = useRoomwire();
  const feed =
    topic === undefined
      ? undefined
      : feedOf(client, ['topic', topic, options], () => new TopicFeed(client, topic, options));

  const latest = useRef({ onMessage, onGap: options.onGap });
  useEffect(() => {
    latest.current = { onMessage, onGap: options.onGap };
  });
  // Before the effect that subscribes, so that no message comes too early.
  useEffect(
    () =>
      feed?.listen({
        onMessage: (message) => latest.current.onMessage(message),
        onGap: (gap) => latest.current.onGap?.(gap),
      }),
    [feed],
  );
  const state = useSyncExternalStore(
    feed?.watch ?? never,
    feed?.snapshot ?? (() => idle),
    feed?.snapshotOnServer ?? (() => idle),
  );
  const publish = useCallback(
    async (data: unknown, how?: PublishOptions) => {
      if (topic === undefined) throw new TypeError('There is no topic to publish to');
      return client.publish(topic, data, how);
    },
    [client, topic],
  );
  return { ...state, publish };
};
