import { isDeepStrictEqual } from 'node:util';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ReplayTarget } from './backlog.js';
import type { Asked, LocalMember } from './machine/localMembers.js';
import { isEligible } from './machine/members.js';

/** Identifies a group. */
export interface GroupKey {
  /** Internal. */
  readonly room: string;
  /** Internal. */
  readonly topic: string;
  readonly group: string;
}

/** A subscription that joins a group, with its callbacks. */
export interface MemberOptions extends GroupKey {
  readonly actorTokenId: string;
  readonly filters: readonly FilterEntry[] | undefined;
  /** Whether it gets what its actor publishes by other connections than this one. */
  readonly own: boolean;
  readonly connection: string;
  readonly acks: boolean;
  /** Its session outlives its connection. */
  readonly isPersistent: boolean;
  /** `<room id>/<scope id>` of the topic, since names may be reused. */
  readonly place: string;
  readonly replay: MemberReplay;
  /** Called between two messages of the topic when the join takes effect. */
  readonly entered: () => void;
  readonly deliver: (message: LiveMessage) => void;
  /** Whether deliveries still reach the client. */
  readonly isReachable: () => boolean;
}

/** Replays the backlog of the group to a member. */
export interface MemberReplay {
  /** At most so many messages; undefined where nothing is replayed. */
  limit(): number | undefined;
  begin(count: number): void;
  give(message: LiveMessage): void;
  end(replayed: number): void;
  /** Resolves when there is room for one more, or `isOver`. */
  waitForCapacity(isOver: () => boolean): Promise<void>;
}

/** The group that a membership belongs to. */
export interface MemberGroup {
  /** Whether all gateways know members that get what their actor publishes. */
  readonly knowsOwn: boolean;
  /** Resolves when members may join. Rejects with `EngineUnavailable`. */
  readonly opened: Promise<void>;
  /** The group stays open until it is released as often as it was retained. */
  retain(): void;
  release(): void;
  join(member: Membership): void;
  update(member: Membership): void;
  leave(member: Membership, quit: boolean, left: (() => void) | undefined): void;
  /** The member has entered and can receive messages. */
  ready(member: Membership): void;
  acknowledge(ids: readonly string[]): void;
}

const askedOf = ({ filters, own }: Asked): Asked => ({ filters, own });

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Longer than the others take to detect a dead gateway or to stop waiting for its snapshot. */
const mostPatienceMs = 30_000;

/** The membership of one subscription in a group. */
export class Membership implements LocalMember {
  readonly actorTokenId: string;
  readonly acks: boolean;
  readonly isPersistent: boolean;
  readonly place: string;
  readonly group: string;
  filters: LocalMember['filters'];
  own: LocalMember['own'];
  number = 0;
  private readonly options: MemberOptions;
  private readonly memberOf: MemberGroup;
  private readonly patienceMs: number;
  private waiting: Waiting[] = [];
  private hasEntered = false;
  /** Whether the client has got the answer to its subscribe. */
  private isReleased = false;
  private state: 'opening' | 'joined' | 'left' = 'opening';

  constructor(options: MemberOptions, memberOf: MemberGroup, patienceMs = mostPatienceMs) {
    this.options = options;
    this.memberOf = memberOf;
    this.patienceMs = patienceMs;
    this.group = options.group;
    this.actorTokenId = options.actorTokenId;
    this.acks = options.acks;
    this.isPersistent = options.isPersistent;
    this.place = options.place;
    this.ask(options);
    memberOf.retain();
  }

  /** Resolves when the join takes effect. Rejects, having left, where the bus cannot be reached. */
  async join(): Promise<void> {
    try {
      await this.memberOf.opened;
    } catch (error) {
      this.leave();
      throw error;
    }
    if (this.state !== 'opening') return;
    this.state = 'joined';
    await this.inForce(() => this.memberOf.join(this));
  }

  /** Resolves when they are in force. Rejects where that takes too long. */
  async change(wishes: Pick<MemberOptions, 'filters' | 'own'>): Promise<void> {
    this.ask(wishes);
    if (this.state === 'joined') await this.inForce(() => this.memberOf.update(this));
  }

  /**
   * Stops delivery. A member that has `quit` does not want messages that arrive while the group is empty. `left` is called
   * between two messages of the topic, once all gateways have read the leave.
   */
  leave(quit = true, left?: () => void): void {
    if (this.state === 'left') return;
    const hasJoined = this.state === 'joined';
    this.state = 'left';
    this.settle(({ resolve }) => resolve());
    if (hasJoined) {
      this.memberOf.leave(this, quit, left);
      this.memberOf.release();
    } else {
      const release = (): void => this.memberOf.release();
      this.memberOf.opened.then(release, release);
    }
  }

  get isReachable(): boolean {
    return this.options.isReachable();
  }

  /** Starts delivery, beginning with the messages already assigned. */
  release(): void {
    this.isReleased = true;
    this.readyIfIn();
  }

  /** Delivers the messages of a backlog and calls `given` for each. */
  replayTarget(given: (message: LiveMessage) => void): ReplayTarget {
    const { replay } = this.options;
    return {
      limit: replay.limit(),
      // [WS-OWN-1] A replay does not ask by which connection a message was published.
      isEligible: (message) => isEligible({ ...message, id: '' })(this),
      begin: (count) => replay.begin(count),
      end: (replayed) => replay.end(replayed),
      give: async (message) => {
        await replay.waitForCapacity(() => this.state === 'left');
        if (this.state === 'left' || !this.isReachable) return false;
        replay.give(message);
        given(message);
        return true;
      },
    };
  }

  /** Its client has acknowledged these messages. */
  acknowledge(ids: readonly string[]): void {
    this.memberOf.acknowledge(ids);
  }

  entered(inForce: Asked): void {
    if (this.state !== 'joined') return;
    this.hasEntered = true;
    this.options.entered();
    // An earlier change, for which its client waits no more, may come late.
    if (isDeepStrictEqual(askedOf(inForce), askedOf(this))) this.settle(({ resolve }) => resolve());
    this.readyIfIn();
  }

  deliver(message: LiveMessage): boolean {
    if (!this.isReleased || !this.options.isReachable()) return false;
    this.options.deliver(message);
    return true;
  }

  private ask({ filters, own }: Pick<MemberOptions, 'filters' | 'own'>): void {
    this.filters = filters;
    this.own = own && this.memberOf.knowsOwn ? this.options.connection : undefined;
  }

  private readyIfIn(): void {
    if (this.hasEntered && this.isReleased && this.state === 'joined') this.memberOf.ready(this);
  }

  private async inForce(action: () => void): Promise<void> {
    const timer = setTimeout(() => this.tooLate(), this.patienceMs).unref();
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
    // [WS-SUB-2] A member stays one: what it has asked for is in force when the bus is back.
    if (!this.hasEntered) this.leave();
  }

  private settle(how: (one: Waiting) => void): void {
    const { waiting } = this;
    this.waiting = [];
    waiting.forEach(how);
  }
}
