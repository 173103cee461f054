import type { Subscribed } from '../run/history.js';

/** Up to where a client has the messages of topics with history. It keeps them from one connection to the next. */
export class Bookmarks {
  private readonly byTopic = new Map<string, string>();

  /** Empty for the beginning. */
  of(topic: string): string {
    return this.byTopic.get(topic) ?? '';
  }

  any(): readonly string[] {
    return [...this.byTopic.values()];
  }

  set(topic: string, position: string): void {
    this.byTopic.set(topic, position);
  }

  /** What is replayed has yet to come, and it may be over before. */
  subscribed(subscription: Subscribed | undefined): void {
    const { beginning, topic } = subscription ?? {};
    if (beginning === undefined || topic === undefined || beginning.continuity !== undefined) return;
    this.set(topic, beginning.position);
  }

  replayBegins(subscription: Subscribed | undefined, count: number): void {
    if (subscription?.beginning) subscription.beginning.count = count;
  }

  replayed(subscription: Subscribed | undefined): void {
    if (subscription?.beginning === undefined) return;
    subscription.beginning.isReplayed = true;
    this.set(subscription.topic, subscription.beginning.position);
  }
}
