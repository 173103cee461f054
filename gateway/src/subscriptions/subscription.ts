import type { Qos } from '@roomwire/shared/wire/protocol/messageOptions';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import { withTimeout } from '@roomwire/shared/runtime/waiting';
import type { Client } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import type { SubscriptionEnding, SubscriptionLife } from '../connection-facts/connectionLife.js';
import type { Audiences } from '../fanout/audience.js';
import type { Places } from '../fanout/places.js';
import type { RoomFeed } from '../fanout/roomFeed.js';
import type { Wishes } from '../fanout/subscriber.js';
import { Membership } from '../groups/membership.js';
import type { ReplayExtent } from '../history/replay.js';
import { OtherKindOfGroup } from '../jobs/owner/otherKindOfGroup.js';
import { ListedSubscriber } from './listedSubscriber.js';
import {
  jobWishesOf,
  membershipOf,
  type AnyMembership,
  type ConnectionJobs,
  type JoinOptions,
  type MembershipDeps,
} from './memberships.js';
import type { PendingAcks } from './pendingAcks.js';
import type { SubscribedRooms } from './roomSubscribers.js';
import { wishesOf, type SubscriptionOptions } from './subscriptionOptions.js';

export interface SubscriptionDeps extends MembershipDeps {
  readonly audiences: Pick<Audiences, 'add' | 'remove' | 'catchUp'>;
  readonly rooms: Pick<RoomFeed, 'subscribe' | 'unsubscribe'>;
  readonly places: Pick<Places, 'know'>;
}

/** What the subscriptions of one connection have in common. */
export interface OfConnection {
  readonly acks: PendingAcks;
  readonly rooms: Pick<SubscribedRooms, 'enter' | 'leave'>;
  readonly jobs: ConnectionJobs;
  readonly life: SubscriptionLife;
}

/** Limit of the wait for a worker group when a member leaves it. */
const leaveTimeoutMs = 10_000;

/** Limit of the wait for the end of a replay: its client may not read, or the history be out of reach. */
const liveTimeoutMs = 30_000;

const notLive = (): never => {
  throw new EngineUnavailable('message history');
};

/**
 * One topic of one session. Life cycle: `prepare`, `activate`, `release`, `leave`; `cancel` ends one that is
 * prepared and not active. It is either in the audience of its topic or a member of a worker group.
 */
export class Subscription extends ListedSubscriber {
  /** The memory that was taken for it; set by `Subscriptions`. */
  heldBytes = 0;
  /** Whether the client has been told that it is subscribed; set by `Subscriptions`. */
  isAnswered = false;
  private readonly deps: SubscriptionDeps;
  private readonly of: OfConnection;
  private chosenQos: Qos;
  private chosenGroup: string | undefined;
  private chosenJobs: JobOptions | undefined;
  private isActive = false;
  private membership: AnyMembership | undefined;

  constructor(
    client: Client,
    access: TopicAccess,
    options: SubscriptionOptions,
    of: OfConnection,
    deps: SubscriptionDeps,
  ) {
    super(client, access, wishesOf(options));
    this.chosenQos = options.qos;
    this.chosenGroup = options.group;
    this.chosenJobs = options.jobs;
    this.of = of;
    this.deps = deps;
  }

  get qos(): Qos {
    return this.chosenQos;
  }

  get group(): string | undefined {
    return this.chosenGroup;
  }

  get jobs(): JobOptions | undefined {
    return this.chosenJobs;
  }

  get isJoined(): boolean {
    return this.isActive;
  }

  get pendingAcks(): PendingAcks {
    return this.of.acks;
  }

  /** Replaces the rights to the same topic, or to the topic that it is about to join. */
  restOn(access: TopicAccess): void {
    this.rights = access;
  }

  /** First half of a join: nothing that is published from now on is missed. Must be followed by `activate` or `cancel`. */
  async prepare(access: TopicAccess): Promise<void> {
    this.rights = access;
    await this.deps.rooms.subscribe(access.room);
    try {
      // [WS-META-2] Its messages have positions.
      if (this.meta && access.history) await this.deps.places.know(access.history.topic);
      if (this.chosenGroup === undefined) return;
      this.membership = this.membershipOf(this, () => undefined);
      await this.membership.join();
    } catch (error) {
      this.cancel();
      throw error;
    }
  }

  /** Second half of a join: from now on every message of the topic reaches it, or its group. */
  activate(): void {
    this.isActive = true;
    this.of.rooms.enter(this.access.room);
    this.hasNoValue();
    if (this.membership === undefined) this.deps.audiences.add(this);
    this.of.life.subscribed(this);
  }

  /** The client has got the answer. A member of a group gets no message before. */
  release(): void {
    this.membership?.release();
  }

  /** Instead of the second half of a join. */
  cancel(): void {
    // A client whose connection has ended may reconnect.
    this.membership?.leave(!this.client.isOver);
    this.membership = undefined;
    this.deps.rooms.unsubscribe(this.access.room);
  }

  /** It has all messages that have come so far. */
  catchUp(): void {
    if (this.isListed) this.deps.audiences.catchUp(this);
  }

  leave(ending: SubscriptionEnding): void {
    if (!this.isActive) return;
    this.isActive = false;
    this.of.life.unsubscribed(this, ending);
    this.of.rooms.leave(this.access.room);
    if (this.membership === undefined) this.deps.audiences.remove(this);
    else this.of.acks.drop(this);
    this.endHold();
    this.cancel();
  }

  /** The client has acknowledged a message that it got as a member of a group. */
  done(msgId: string): void {
    if (this.membership instanceof Membership) this.membership.acknowledge([msgId]);
  }

  /**
   * [WS-SUB-2] The old options hold for one message and the new ones for the next. Resolves when the change is in force,
   * which without a group is at once.
   */
  change(options: SubscriptionOptions): void | Promise<void> {
    const { membership } = this;
    this.chosenQos = options.qos;
    if (!this.isActive) return this.choose(options);
    if (membership === undefined)
      return options.group === undefined ? this.wish(options) : this.enterGroup(options);
    if (options.group === undefined) return this.leaveGroup(membership, options);
    if (options.group !== membership.group) return this.enterGroup(options);
    if (membership instanceof Membership) {
      if (options.jobs) throw new OtherKindOfGroup(options.group);
      this.wishes = wishesOf(options);
      this.changed();
      return membership.change(options);
    }
    if (options.jobs === undefined) throw new OtherKindOfGroup(options.group);
    this.choose(options);
    return membership.change(jobWishesOf(this, options), options.jobs);
  }

  protected get audiences(): SubscriptionDeps['audiences'] {
    return this.deps.audiences;
  }

  protected get isListed(): boolean {
    return this.isActive && this.membership === undefined;
  }

  protected changed(): void {
    if (this.isActive) this.of.life.changed(this);
  }

  protected replayed(sent: ReplayExtent): void {
    this.of.life.replayed(this, sent);
  }

  private choose(options: SubscriptionOptions): void {
    this.chosenQos = options.qos;
    this.chosenGroup = options.group;
    this.chosenJobs = options.jobs;
    this.wishes = wishesOf(options);
    this.changed();
  }

  private wish(wishes: Wishes): void {
    this.inAudience(() => (this.wishes = wishesOf(wishes)));
    this.changed();
  }

  /** Leaves the former group once the join of the new one takes effect. */
  private async enterGroup(options: SubscriptionOptions): Promise<void> {
    // [WS-SUB-2] What waits behind a replay is its own, and no group's.
    await withTimeout(liveTimeoutMs, this.untilLive(), notLive, { unref: true });
    if (!this.isActive) return;
    const former = this.membership;
    const membership = this.membershipOf(options, () => {
      if (this.membership === membership) return;
      if (!this.isActive || this.membership !== former) return membership.leave();
      if (former) former.leave();
      else this.deps.audiences.remove(this);
      this.endHold();
      this.choose(options);
      this.belongsTo(membership);
    });
    await membership.join();
  }

  /** It stays a member until all gateways have read the leave. */
  private leaveGroup(membership: AnyMembership, options: SubscriptionOptions): Promise<void> {
    return new Promise((resolve) => {
      const left = (): void => {
        clearTimeout(timer);
        if (this.isActive && this.membership === membership) {
          this.belongsTo(undefined);
          this.choose(options);
          this.deps.audiences.add(this);
        }
        resolve();
      };
      const timer = setTimeout(left, leaveTimeoutMs).unref();
      if (membership instanceof Membership) return membership.leave(true, left);
      // Its owner alone knows its members.
      membership.leave();
      left();
    });
  }

  /** [WS-ACK-3] What it has not acknowledged goes to others of its former group: later acknowledgements would count in the new one. */
  private belongsTo(membership: AnyMembership | undefined): void {
    this.of.acks.drop(this);
    this.membership = membership;
  }

  private membershipOf(options: JoinOptions, entered: () => void): AnyMembership {
    return membershipOf(this, { options, entered, ...this.of }, this.deps);
  }
}
