import { FilterIndex } from './filterIndex.js';
import type { Subscription } from './subscription.js';

/** The subscriptions of one topic. */
export class Audience {
  /** The stamp of the newest retained message that came through here live. */
  retained = '';
  private readonly everything: Subscription[] = [];
  private readonly filtered = new FilterIndex<Subscription>();

  /** Those without filters, who get every message. Must not be changed, and not be kept. */
  get unfiltered(): readonly Subscription[] {
    return this.everything;
  }

  get isEmpty(): boolean {
    return this.everything.length === 0 && this.filtered.isEmpty;
  }

  /** Those with filters that match one of the values on a message, or all of an AND-group. */
  matching(onMessage: readonly string[]): readonly Subscription[] {
    return this.filtered.matching(onMessage);
  }

  /** Everybody. */
  get all(): readonly Subscription[] {
    return [...this.everything, ...this.filtered.all];
  }

  add(subscription: Subscription): void {
    if (subscription.filters !== undefined) return this.filtered.add(subscription);
    subscription.slot = this.everything.length;
    this.everything.push(subscription);
  }

  remove(subscription: Subscription): void {
    if (subscription.filters !== undefined) return this.filtered.remove(subscription);
    // The last one takes the place of the one that leaves.
    const last = this.everything.pop() as Subscription;
    if (last !== subscription) {
      this.everything[subscription.slot] = last;
      last.slot = subscription.slot;
    }
    subscription.slot = -1;
  }
}
