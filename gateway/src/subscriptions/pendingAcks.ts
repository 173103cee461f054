/** Outcomes of messages delivered to members of worker groups. */
interface Acknowledged {
  done(msgId: string): void;
}

/** A client this far behind is treated like one that does not acknowledge at all. */
const maxPending = 10_000;

/**
 * [WS-ACK-3] Messages delivered to one connection as a member of worker groups and not acknowledged yet. Beyond a bound the
 * oldest count as acknowledged. Messages of ordinary subscriptions are not tracked.
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

  /** Ignores unknown ids and those no longer tracked. */
  acked(msgId: string): void {
    const subscription = this.pending?.get(msgId);
    if (subscription === undefined) return;
    this.pending?.delete(msgId);
    subscription.done(msgId);
  }

  /** The subscription has ended. Returns its unacknowledged messages, oldest first. */
  drop(subscription: Acknowledged): readonly string[] {
    const dropped: string[] = [];
    for (const [msgId, itsSubscription] of this.pending ?? [])
      if (itsSubscription === subscription) dropped.push(msgId);
    for (const msgId of dropped) this.pending?.delete(msgId);
    return dropped;
  }
}
