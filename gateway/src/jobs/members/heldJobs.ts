/** Where a client's answer about a job goes. */
export interface JobHolder {
  settle(seq: number): void;
  giveBack(seq: number, delayMs: number): void;
  progress(seq: number): void;
}

interface Held {
  readonly holder: JobHolder;
  readonly seq: number;
}

/** More than a client can have at once by several subscriptions; what is older has timed out long ago. */
const most = 20_000;

/**
 * The jobs that were handed out to one connection and not acknowledged by it, also those that have gone to others since: a late
 * acknowledgement settles them.
 */
export class HeldJobs {
  /** Most connections never have one. */
  private held: Map<string, Held> | undefined;

  delivered(msgId: string, holder: JobHolder, seq: number): void {
    const held = (this.held ??= new Map<string, Held>());
    held.delete(msgId);
    held.set(msgId, { holder, seq });
    if (held.size > most) held.delete(held.keys().next().value as string);
  }

  /** Whether it was one of them. */
  acked(msgId: string): boolean {
    const found = this.held?.get(msgId);
    if (found === undefined) return false;
    this.held?.delete(msgId);
    found.holder.settle(found.seq);
    return true;
  }

  /** Passed over for what it does not have, or does not have any more. */
  giveBack(msgId: string, delayMs: number): void {
    const found = this.held?.get(msgId);
    found?.holder.giveBack(found.seq, delayMs);
  }

  /** As `giveBack`. */
  progress(msgId: string): void {
    const found = this.held?.get(msgId);
    found?.holder.progress(found.seq);
  }

  clear(): void {
    this.held = undefined;
  }
}
