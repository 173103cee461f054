/** What becomes of messages that members of worker groups were given. */
interface Acknowledged {
  done(msgId: string): void;
}

/** A client this far behind is treated like one that does not acknowledge at all. */
const maxPending = 10_000;

/**
 * [WS-ACK-3] What one connection was given as a member of worker groups and has not acknowledged yet, within a bound: the
 * oldest are taken for done first. Nothing is kept of ordinary subscriptions.
 */
export class PendingAcks {
  private readonly bound: number;
  /** Most connections never have one. */
  private pending: Map<string, Acknowledged> | undefined;

  constructor(bound = maxPending) {
    this.bound = bound;
  }

  get size(): number {
    return this.pending?.size ?? 0;
  }

  /** A second delivery of the same message moves it to the end. */
  delivered(subscription: Acknowledged, msgId: string): void {
    const pending = (this.pending ??= new Map<string, Acknowledged>());
    pending.delete(msgId);
    pending.set(msgId, subscription);
    if (pending.size <= this.bound) return;
    for (const [oldest, itsSubscription] of pending) {
      pending.delete(oldest);
      return itsSubscription.done(oldest);
    }
  }

  /** An id that is not known, or no longer, is ignored. */
  acked(msgId: string): void {
    const subscription = this.pending?.get(msgId);
    if (subscription === undefined) return;
    this.pending?.delete(msgId);
    subscription.done(msgId);
  }

  /** The subscription is over. Returns what it had not acknowledged, the oldest first. */
  drop(subscription: Acknowledged): readonly string[] {
    const dropped: string[] = [];
    for (const [msgId, itsSubscription] of this.pending ?? [])
      if (itsSubscription === subscription) dropped.push(msgId);
    for (const msgId of dropped) this.pending?.delete(msgId);
    return dropped;
  }
}
