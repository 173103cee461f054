import type { Qos } from '@roomwire/shared/contracts/protocol/clientFrames';
import type { ChannelReader } from '@roomwire/shared/ports/messageBus';
import type { TopicAccess } from '../access/topicAccess.js';
import type { FilterSet } from '../policy/filters.js';
import type { Session } from '../session/session.js';

export interface Subscription {
  readonly session: Session;
  /** Changes with the records it was made from, never its room and topic. */
  access: TopicAccess;
  qos: Qos;
  /** Undefined for every message. */
  filters: FilterSet | undefined;
  /** Where it stands in its topic's list; -1 before and after. */
  slot: number;
}

/** The subscriptions of this gateway, by internal topic. */
export class Hub {
  private readonly topics = new Map<string, Subscription[]>();
  private reader: Pick<ChannelReader, 'attend' | 'forget'> | undefined;

  /** Must be called before the first `join`. */
  readFrom(reader: Pick<ChannelReader, 'attend' | 'forget'>): void {
    this.reader = reader;
  }

  /** Undefined where nobody listens. Must not be changed, and not be kept. */
  subscribers(topic: string): readonly Subscription[] | undefined {
    return this.topics.get(topic);
  }

  /** From the moment this resolves every message of the topic reaches the subscription. */
  async join(subscription: Subscription): Promise<void> {
    await this.reader?.attend(subscription.access.room);
    const { topic } = subscription.access;
    const list = this.topics.get(topic);
    if (list === undefined) this.topics.set(topic, [subscription]);
    else list.push(subscription);
    subscription.slot = (list?.length ?? 1) - 1;
  }

  leave(subscription: Subscription): void {
    const { topic, room } = subscription.access;
    const list = this.topics.get(topic);
    if (list === undefined || subscription.slot < 0) return;
    // The last one takes the place of the one that leaves.
    const last = list.pop() as Subscription;
    if (last !== subscription) {
      list[subscription.slot] = last;
      last.slot = subscription.slot;
    }
    subscription.slot = -1;
    if (list.length === 0) this.topics.delete(topic);
    this.reader?.forget(room);
  }
}
