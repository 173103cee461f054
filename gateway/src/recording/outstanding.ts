import type { Subscription } from '../fanout/subscription.js';

/** Who wants to know what became of the messages that members of worker groups were given. */
export interface AckHooks {
  onAcked(subscription: Subscription, msgId: string): void;
  /** It was still unacknowledged when there were too many of them. */
  onForgotten(subscription: Subscription, msgId: string): void;
}

/** A member that is this far behind is not told apart from one that does not acknowledge at all. */
const maxOutstanding = 10_000;

/**
 * [WS-ACK-3] What one connection was given as a member of worker groups and has not acknowledged yet, within a bound: the oldest
 * are forgotten first. Nothing is kept of ordinary subscriptions.
 */
export class Outstanding {
  private readonly hooks: AckHooks;
  private readonly bound: number;
  private readonly waiting = new Map<string, Subscription>();

  constructor(hooks: AckHooks, bound = maxOutstanding) {
    this.hooks = hooks;
    this.bound = bound;
  }

  get size(): number {
    return this.waiting.size;
  }

  /** A second delivery of the same message moves it to the end. */
  delivered(subscription: Subscription, msgId: string): void {
    this.waiting.delete(msgId);
    this.waiting.set(msgId, subscription);
    if (this.waiting.size <= this.bound) return;
    for (const [oldest, itsSubscription] of this.waiting) {
      this.waiting.delete(oldest);
      return this.hooks.onForgotten(itsSubscription, oldest);
    }
  }

  /** An id that is not known, or not any more, is passed over. */
  acked(msgId: string): void {
    const subscription = this.waiting.get(msgId);
    if (subscription === undefined) return;
    this.waiting.delete(msgId);
    this.hooks.onAcked(subscription, msgId);
  }

  /** The subscription is over. Returns what it had not acknowledged, the oldest first. */
  drop(subscription: Subscription): readonly string[] {
    const dropped: string[] = [];
    for (const [msgId, itsSubscription] of this.waiting)
      if (itsSubscription === subscription) dropped.push(msgId);
    for (const msgId of dropped) this.waiting.delete(msgId);
    return dropped;
  }
}
