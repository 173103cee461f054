import type { Client, Gap, Message, MessageHandler, SubscribeOptions } from '@roomwire/sdk';
import { Feed } from './feed.js';
import { subscribeWhile, subscribing, type SubscriptionState } from './subscribeWhile.js';

export interface TopicListener {
  readonly onMessage: MessageHandler;
  readonly onGap: (gap: Gap) => void;
}

/** One subscription for all components that have the same topic with the same options. */
export class TopicFeed extends Feed<SubscriptionState> {
  private readonly client: Client;
  private readonly topic: string;
  private readonly options: SubscribeOptions;
  private readonly topicListeners = new Set<TopicListener>();

  constructor(client: Client, topic: string, options: SubscribeOptions) {
    super(subscribing);
    this.client = client;
    this.topic = topic;
    this.options = options;
  }

  readonly listen = (listener: TopicListener): (() => void) => {
    this.topicListeners.add(listener);
    return () => void this.topicListeners.delete(listener);
  };

  protected override open(): () => void {
    const options: SubscribeOptions = {
      ...this.options,
      onGap: (gap) => this.topicListeners.forEach(({ onGap }) => onGap(gap)),
    };
    return subscribeWhile(
      this.client,
      this.topic,
      (message) => this.deliver(message),
      options,
      (state) => this.change(state),
    );
  }

  /** Resolves when all are done with it: only then a recorded message is acknowledged. */
  private async deliver(message: Message): Promise<void> {
    await Promise.all([...this.topicListeners].map(async ({ onMessage }) => onMessage(message)));
  }
}
