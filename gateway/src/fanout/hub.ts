import type { ChannelReader } from '@roomwire/shared/ports/messageBus';
import { Audience } from './audience.js';
import type { Subscription, SubscriptionOptions } from './subscription.js';

/** The subscriptions of this gateway, by internal topic. */
export class Hub {
  private readonly topics = new Map<string, Audience>();
  private reader: Pick<ChannelReader, 'attend' | 'forget'> | undefined;

  /** Must be called before the first `join`. */
  readFrom(reader: Pick<ChannelReader, 'attend' | 'forget'>): void {
    this.reader = reader;
  }

  /** Undefined where nobody listens. Must not be kept. */
  audience(topic: string): Audience | undefined {
    return this.topics.get(topic);
  }

  /** From the moment this resolves every message of the topic reaches the subscription. */
  async join(subscription: Subscription): Promise<void> {
    await this.attend(subscription.access.room);
    this.add(subscription);
  }

  /** From the moment this resolves every message of the room comes to this gateway. Each is to be added or forgotten. */
  async attend(room: string): Promise<void> {
    await this.reader?.attend(room);
  }

  forget(room: string): void {
    this.reader?.forget(room);
  }

  /** The second half of a join. */
  add(subscription: Subscription): void {
    const { topic } = subscription.access;
    let audience = this.topics.get(topic);
    if (audience === undefined) this.topics.set(topic, (audience = new Audience()));
    subscription.isJoined = true;
    subscription.greeted = subscription.newest = '';
    audience.add(subscription);
  }

  leave(subscription: Subscription): void {
    const { topic, room } = subscription.access;
    const audience = this.topics.get(topic);
    if (audience === undefined || !subscription.isJoined) return;
    audience.remove(subscription);
    subscription.isJoined = false;
    if (audience.isEmpty) this.topics.delete(topic);
    this.forget(room);
  }

  /** [WS-SUB-2] At once: the message before it goes by the old options, the next one by the new. */
  change(subscription: Subscription, { qos, filters }: SubscriptionOptions): void {
    const audience = subscription.isJoined ? this.topics.get(subscription.access.topic) : undefined;
    audience?.remove(subscription);
    subscription.qos = qos;
    subscription.filters = filters;
    audience?.add(subscription);
  }
}
