import type { Held } from './groupState.js';
import type { OwnMembers } from './ownMembers.js';

interface DeliveryDeps {
  readonly own: OwnMembers;
  /** This process may have stood still, and be out without knowing. */
  readonly mayBeOut: () => boolean;
  /** Says something that comes back when all that was before it has been read. Returns its number. */
  readonly check: () => number;
  readonly done: (ids: readonly string[]) => void;
}

/** Hands our own members what they have been assigned, each message once. */
export class Delivery {
  private readonly deps: DeliveryDeps;
  /** What they were given before all have read that it is theirs. */
  private readonly early = new Set<string>();
  /** Until this record has come back nothing is delivered. */
  private doubtedUntil = 0;

  constructor(deps: DeliveryDeps) {
    this.deps = deps;
  }

  give(held: Held): void {
    if (this.early.delete(held.message.id)) held.isDelivered = true;
    if (held.isDelivered || this.isInDoubt()) return;
    const member = this.deps.own.get(held.assignee?.number ?? -1);
    // It has left here, or is about to, and all will know in a moment.
    if (member?.isReachable !== true) return;
    held.isDelivered = true;
    if (member.deliver(held.message)) this.deps.done([held.message.id]);
  }

  /** The member has it already, and is about to be assigned it. */
  given(id: string): void {
    this.early.add(id);
  }

  /** One of our records has been read. Whether there is no doubt any more. */
  cameBack(ref: number): boolean {
    if (this.doubtedUntil === 0 || ref < this.doubtedUntil) return false;
    this.doubtedUntil = 0;
    return true;
  }

  /** Nothing is assigned to anybody any more. */
  clear(): void {
    this.early.clear();
  }

  private isInDoubt(): boolean {
    if (this.doubtedUntil === 0 && this.deps.mayBeOut()) this.doubtedUntil = this.deps.check();
    return this.doubtedUntil > 0;
  }
}
