import type { GroupMember } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { matchesFilters } from '../policy/filters.js';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { GroupSite } from './groupSite.js';
import type { LocalMember } from './ownMembers.js';
import type { ReplayTarget } from './replay.js';
import type { MemberWish } from './workerGroups.js';

/** What waits to be in force. */
interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Longer than it takes until the others have noticed that a gateway is dead, or have given up waiting for one. */
const patienceMs = 30_000;

/** One subscription's place in a group. */
export class Membership implements LocalMember {
  readonly actorTokenId: string;
  readonly acks: boolean;
  readonly isPersistent: boolean;
  readonly place: string;
  readonly group: string;
  filters: GroupMember['filters'];
  number: number;
  private readonly wish: MemberWish;
  private readonly site: GroupSite;
  private waiting: Waiting[] = [];
  /** What it gets before it is released. */
  private early: LiveMessage[] | undefined = [];
  private hasEntered = false;
  private state: 'opening' | 'joined' | 'left' = 'opening';

  constructor(wish: MemberWish, site: GroupSite, nextNumber: () => number) {
    this.wish = wish;
    this.site = site;
    this.group = wish.group;
    this.actorTokenId = wish.actorTokenId;
    this.acks = wish.acks;
    this.isPersistent = wish.isPersistent;
    this.place = wish.place;
    this.filters = wish.filters;
    this.number = nextNumber();
    site.use();
  }

  /** Resolves when it takes part. Rejects, and is out, where the bus is out of reach. */
  async join(): Promise<void> {
    try {
      await this.site.opened;
    } catch (error) {
      this.leave();
      throw error;
    }
    if (this.state !== 'opening') return;
    this.state = 'joined';
    await this.inForce(() => this.site.join(this));
  }

  /** Resolves when the filters are in force. */
  async change(filters: GroupMember['filters']): Promise<void> {
    this.filters = filters;
    if (this.state === 'joined') await this.inForce(() => this.site.replica.update(this));
  }

  /**
   * From now on it gets nothing. One that has `quit` does not want to know what comes when nobody is there. `left` is called
   * between two messages of the topic, when all know that it is out.
   */
  leave(quit = true, left?: () => void): void {
    if (this.state === 'left') return;
    const hasJoined = this.state === 'joined';
    this.state = 'left';
    this.settle(({ resolve }) => resolve());
    if (hasJoined) {
      this.site.leave(this, quit, left);
      this.site.release();
    } else {
      const release = (): void => this.site.release();
      this.site.opened.then(release, release);
    }
  }

  get isReachable(): boolean {
    return this.wish.isReachable();
  }

  /** From now on it is given what it gets, and what it got before. */
  release(): void {
    const early = this.early ?? [];
    this.early = undefined;
    if (this.isReachable) {
      for (const message of early) this.wish.deliver(message);
      if (!this.acks && early.length > 0) this.done(early.map(({ id }) => id));
    }
    this.readyIfIn();
  }

  /** Gives it what was recorded; `given` hears of each message. */
  replayTarget(given: (message: LiveMessage) => void): ReplayTarget {
    const { replay } = this.wish;
    return {
      limit: replay.limit(),
      mayHave: ({ publisher, filters }) =>
        publisher !== this.actorTokenId &&
        (this.filters === undefined || matchesFilters(this.filters, new Set(filters))),
      begin: (count) => replay.begin(count),
      end: (replayed) => replay.end(replayed),
      give: async (message) => {
        await replay.room(() => this.state === 'left');
        if (this.state === 'left' || !this.isReachable) return false;
        replay.give(message);
        given(message);
        return true;
      },
    };
  }

  /** Its client has acknowledged these messages. */
  done(ids: readonly string[]): void {
    this.site.replica.done(ids);
  }

  entered(): void {
    if (this.state !== 'joined') return;
    this.hasEntered = true;
    this.wish.entered();
    this.settle(({ resolve }) => resolve());
    this.readyIfIn();
  }

  deliver(message: LiveMessage): boolean {
    if (this.early) {
      this.early.push(message);
      return false;
    }
    this.wish.deliver(message);
    return !this.acks;
  }

  private readyIfIn(): void {
    if (this.hasEntered && this.early === undefined && this.state === 'joined') this.site.isReady(this);
  }

  private async inForce(action: () => void): Promise<void> {
    const timer = setTimeout(() => this.tooLate(), patienceMs).unref();
    const settled = new Promise<void>((resolve, reject) => this.waiting.push({ resolve, reject }));
    action();
    try {
      await settled;
    } finally {
      clearTimeout(timer);
    }
  }

  private tooLate(): void {
    this.settle(({ reject }) => reject(new EngineUnavailable('message bus')));
    this.leave();
  }

  private settle(how: (one: Waiting) => void): void {
    const { waiting } = this;
    this.waiting = [];
    waiting.forEach(how);
  }
}
