import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { matchesFilters } from '@roomwire/shared/wire/protocol/matchesFilters';
import type { Audiences } from '../fanout/audience.js';
import { Subscriber } from '../fanout/subscriber.js';
import type { Hold } from '../history/hold.js';
import type { ReplayExtent, Replaying } from '../history/replay.js';

/** A subscription as far as it is in the audience of its topic: what it gets, and what its messages wait for. */
export abstract class ListedSubscriber extends Subscriber implements Replaying {
  private isBehind = false;
  private noLongerBehind: (() => void) | undefined;
  private heldIn: Hold | undefined;

  protected abstract get audiences(): Pick<Audiences, 'add' | 'remove'>;
  protected abstract get isListed(): boolean;
  protected abstract changed(): void;
  protected abstract replayed(sent: ReplayExtent): void;

  /** Whether its messages wait for what came before them to be sent. */
  get replays(): boolean {
    return this.isBehind;
  }

  /** [WS-HIST-7] Its messages wait there from now on, or from when it is active, [WS-SUB-2] with what waits elsewhere. */
  hold(hold: Hold): void {
    this.inAudience(() => {
      if (this.heldIn) hold.takeOver(this.heldIn);
      this.held = this.heldIn = hold;
    });
    this.isBehind = true;
    this.changed();
  }

  /** Resolves when its messages wait for nothing. One may wait for it at a time. */
  async untilLive(): Promise<void> {
    if (this.isBehind) await new Promise<void>((resolve) => (this.noLongerBehind = resolve));
  }

  isHeldBy(hold: Hold): boolean {
    return this.heldIn === hold;
  }

  caughtUp(sent: ReplayExtent): void {
    this.isLive();
    this.replayed(sent);
  }

  letGo(hold: Hold): void {
    if (this.isHeldBy(hold)) this.inAudience(() => this.endHold());
  }

  /** Whether it gets a message of the record. */
  selects({ publisher, filters }: Pick<LiveMessage, 'publisher' | 'filters'>): boolean {
    if (publisher === this.actorTokenId && !this.own) return false;
    return this.filters === undefined || matchesFilters(this.filters, new Set(filters));
  }

  wouldGet(message: LiveMessage): boolean {
    return this.getsLive(message) && this.selects(message);
  }

  /** Changes what its place in the audience depends on. */
  protected inAudience(change: () => void): void {
    const { isListed, audiences } = this;
    if (isListed) audiences.remove(this);
    change();
    if (isListed) audiences.add(this);
  }

  protected endHold(): void {
    this.heldIn?.clear();
    this.held = this.heldIn = undefined;
    this.isLive();
  }

  private isLive(): void {
    this.isBehind = false;
    this.noLongerBehind?.();
    this.noLongerBehind = undefined;
  }
}
