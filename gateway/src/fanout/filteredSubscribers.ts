import { FilterIndex } from './filterIndex.js';
import type { Subscriber } from './subscriber.js';

const none: readonly Subscriber[] = [];

/** Subscribers of one topic, by what they filter. */
export class FilteredSubscribers {
  private readonly everything: Subscriber[] = [];
  private readonly filtered = new FilterIndex<Subscriber>();

  /** Subscribers without filters, which get every message. Callers must not change or keep the array. */
  get unfiltered(): readonly Subscriber[] {
    return this.everything;
  }

  get isEmpty(): boolean {
    return this.everything.length === 0 && this.filtered.isEmpty;
  }

  /** Those with filters that match one of the values on a message, or all of an AND-group. */
  matching(onMessage: readonly string[]): readonly Subscriber[] {
    return onMessage.length === 0 ? none : this.filtered.matching(onMessage);
  }

  get all(): readonly Subscriber[] {
    return [...this.everything, ...this.filtered.all];
  }

  /** Those with filters alone. */
  hasFiltered(subscriber: Subscriber): boolean {
    return this.filtered.all.has(subscriber);
  }

  add(subscriber: Subscriber): void {
    if (subscriber.filters !== undefined) return this.filtered.add(subscriber);
    subscriber.slot = this.everything.length;
    this.everything.push(subscriber);
  }

  /** Returns whoever moves to the free slot, the last one of those without filters. */
  remove(subscriber: Subscriber): Subscriber | undefined {
    if (subscriber.filters !== undefined) return void this.filtered.remove(subscriber);
    const last = this.everything.pop() as Subscriber;
    if (last !== subscriber) {
      this.everything[subscriber.slot] = last;
      last.slot = subscriber.slot;
    }
    subscriber.slot = -1;
    return last;
  }
}
