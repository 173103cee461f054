import type { Client, Gap, Message, Published, PublishOptions } from '@roomwire/sdk';
import { Feed } from './feed.js';
import { inserted, oldestPosition, type MessageList } from './messageList.js';
import { subscribeWhile, subscribing, type SubscriptionState } from './subscribeWhile.js';

export interface MessagesState extends SubscriptionState {
  /** The oldest first. */
  readonly messages: MessageList;
  /** Where messages are missing between two of the list, in spite of the history. */
  readonly gaps: readonly Gap[];
  /** Whether there may be messages before those of the list. */
  readonly hasEarlier: boolean;
  readonly isLoadingEarlier: boolean;
}

export interface MessageFeedOptions {
  readonly rewind: number | undefined;
  readonly keep: number;
}

/** The newest messages of a topic, from its history and live, in one list. */
export class MessageFeed extends Feed<MessagesState> {
  private readonly client: Client;
  private readonly topic: string;
  private readonly options: MessageFeedOptions;
  /** How many may be in the list: those that were asked for in addition stay. */
  private room: number;

  constructor(client: Client, topic: string, options: MessageFeedOptions) {
    super({
      ...subscribing,
      ...{ messages: [], gaps: [], hasEarlier: options.rewind !== undefined, isLoadingEarlier: false },
    });
    this.client = client;
    this.topic = topic;
    this.options = options;
    this.room = options.keep;
  }

  readonly publish = async (data: unknown, options: PublishOptions = {}): Promise<Published> => {
    const isClosed = this.closedSince();
    const published = await this.client.publish(this.topic, data, options);
    // It does not come back to the client that has sent it; what waits for its time comes then, as it does to others.
    if (!isClosed() && published.scheduledId === undefined) this.add(this.own(data, options, published.id));
    return published;
  };

  readonly loadEarlier = async (count = 50): Promise<void> => {
    const { messages, isLoadingEarlier } = this.snapshot();
    if (isLoadingEarlier) return;
    const isClosed = this.closedSince();
    this.change({ isLoadingEarlier: true });
    try {
      const before = oldestPosition(messages);
      const options = { limit: count, ...(before === undefined ? {} : { before }) };
      let earlier = 0;
      for await (const message of this.client.history(this.topic, options)) {
        if (isClosed()) return;
        earlier += 1;
        this.room += 1;
        this.add(message);
      }
      if (!isClosed()) this.change({ hasEarlier: earlier === count });
    } finally {
      if (!isClosed()) this.change({ isLoadingEarlier: false });
    }
  };

  protected override open(): () => void {
    const { rewind, keep } = this.options;
    this.room = keep;
    const history = rewind === undefined ? {} : { rewind, resume: true };
    return subscribeWhile(
      this.client,
      this.topic,
      (message) => this.add(message),
      {
        meta: true,
        own: true,
        ...history,
        onGap: (gap) => this.change({ gaps: [...this.snapshot().gaps, gap] }),
      },
      (state) => this.change(state),
    );
  }

  private add(message: Message): void {
    const before = this.snapshot();
    const all = inserted(before.messages, message);
    if (all.length <= this.room) return this.change({ messages: all });
    const hasEarlier = before.hasEarlier || this.options.rewind !== undefined;
    this.change({ messages: all.slice(all.length - this.room), hasEarlier });
  }

  private own(data: unknown, { filter }: PublishOptions, id: string | undefined): Message {
    const { state } = this.client;
    const from = state.name === 'connected' ? state.session.actorTokenId : null;
    const meta = {
      id: id ?? `${from} ${this.snapshot().messages.length} ${Date.now()}`,
      at: Date.now(),
      from,
    };
    return { topic: this.topic, data, msgId: undefined, filter, meta, isReplay: false };
  }
}
