import type { SubscriptionEnding } from '../connection-facts/connectionLife.js';
import type { HeldMemory } from './heldMemory.js';
import type { Subscription } from './subscription.js';
import type { SubscriptionOptions } from './subscriptionOptions.js';
import type { Held } from './subscriptionRights.js';

/** The subscriptions of one session, by the address as the client writes it, and the memory that they take. */
export class SubscriptionList implements Held {
  private readonly byAddress = new Map<string, Subscription>();
  private readonly memory: HeldMemory;
  private readonly changed: () => void;

  /** `changed` is called when one has ended while the connection goes on. */
  constructor(memory: HeldMemory, changed: () => void) {
    this.memory = memory;
    this.changed = changed;
  }

  get subscriptions(): ReadonlyMap<string, Subscription> {
    return this.byAddress;
  }

  isListed(address: string, subscription: Subscription): boolean {
    return this.byAddress.get(address) === subscription;
  }

  set(address: string, subscription: Subscription): void {
    this.byAddress.set(address, subscription);
  }

  /** Takes the memory for other options; `settle` must follow. */
  take(address: string, subscription: Subscription, options: SubscriptionOptions): boolean {
    return this.memory.take(address, subscription, options);
  }

  /** Gives back what a subscription does not need any more. */
  settle(address: string, subscription: Subscription): void {
    this.memory.settle(address, subscription, this.isListed(address, subscription));
  }

  drop(address: string, ending: SubscriptionEnding): void {
    const subscription = this.byAddress.get(address);
    if (subscription === undefined) return;
    this.byAddress.delete(address);
    subscription.leave(ending);
    this.settle(address, subscription);
    this.changed();
  }

  /** Gives back the memory of subscriptions that do not begin. */
  giveUp(): void {
    this.memory.close();
  }

  /** The connection has ended. */
  end(): void {
    for (const subscription of this.byAddress.values()) subscription.leave({ reason: 'closed' });
    this.byAddress.clear();
    this.memory.close();
  }
}
