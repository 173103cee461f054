import type { Subscribing, SubscriptionAccount, SubscriptionMemory } from '../limits/subscriptionMemory.js';
import type { Subscription } from './subscription.js';
import { subscriptionCost } from './subscriptionCost.js';
import type { SubscriptionOptions } from './subscriptionOptions.js';

/** [WS-MEM-3] The memory that the subscriptions of one session hold. */
export class HeldMemory {
  private readonly client: Subscribing;
  private readonly memory: Pick<SubscriptionMemory, 'open' | 'change'>;
  /** Most connections that fail to authenticate never need one. */
  private account: SubscriptionAccount | undefined;

  constructor(client: Subscribing, memory: Pick<SubscriptionMemory, 'open' | 'change'>) {
    this.client = client;
    this.memory = memory;
  }

  /** Takes the memory for other options, on top of what the present ones need until these are in force. */
  take(address: string, subscription: Subscription, options: SubscriptionOptions): boolean {
    this.account ??= this.memory.open(this.client);
    const more = subscriptionCost(address, options) - subscription.heldBytes;
    if (more <= 0) return true;
    if (!this.memory.change(this.account, more)) return false;
    subscription.heldBytes += more;
    return true;
  }

  /** Gives back what a subscription does not need any more; all of it where it is not listed. */
  settle(address: string, subscription: Subscription, isListed: boolean): void {
    const bytes = isListed ? subscriptionCost(address, subscription) : 0;
    if (this.account) this.memory.change(this.account, bytes - subscription.heldBytes);
    subscription.heldBytes = bytes;
  }

  close(): void {
    this.account?.close();
  }
}
