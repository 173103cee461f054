import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { Qos } from '@roomwire/shared/wire/protocol/messageOptions';
import type { ActorType } from '@roomwire/shared/domain/actor';
import type { Client } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import type { Audiences } from '../fanout/audience.js';
import { Subscriber, type Wishes } from '../fanout/subscriber.js';
import type { SubscriptionEnding, SubscriptionLife } from '../connection-facts/connectionLife.js';
import type { Places } from '../fanout/places.js';
import type { RoomFeed } from '../fanout/roomFeed.js';
import type { Hold } from '../history/hold.js';
import type { ReplayExtent, Replaying } from '../history/replay.js';
import { matchesFilters } from '@roomwire/shared/wire/protocol/matchesFilters';
import { Membership, type MemberReplay } from '../groups/membership.js';
import type { WorkerGroups } from '../groups/workerGroups.js';
import type { HeldJobs } from '../jobs/members/heldJobs.js';
import type { JobMemberOptions, JobMembership } from '../jobs/members/jobMembership.js';
import type { JobsHere } from '../jobs/noJobs.js';
import { OtherKindOfGroup } from '../jobs/owner/otherKindOfGroup.js';
import type { JobWishes } from '../jobs/queue/job.js';
import type { PendingAcks } from './pendingAcks.js';
import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import type { SubscribedRooms } from './roomSubscribers.js';

/** What a client may change of a subscription without leaving the topic. */
export interface SubscriptionOptions extends Wishes {
  readonly qos: Qos;
  /** The worker group of which it is a member; undefined for a subscription that gets every message. */
  readonly group: string | undefined;
  /** How the group hands out its jobs; undefined for one without jobs. */
  readonly jobs: JobOptions | undefined;
}

/** Delivers to members of worker groups. */
export interface MemberDelivery {
  /** Whether clients acknowledge messages. */
  readonly acks: boolean;
  /** Whether its connection reads as fast as it is written to. */
  hasRoom(subscription: Subscription): boolean;
  /** A job, the `delivery` of which counts from 1. */
  deliverJob(subscription: Subscription, message: LiveMessage, delivery: number): void;
  deliver(subscription: Subscription, message: LiveMessage): void;
  replay(subscription: Subscription): MemberReplay;
}

export interface SubscriptionDeps {
  readonly audiences: Pick<Audiences, 'add' | 'remove' | 'catchUp'>;
  readonly rooms: Pick<RoomFeed, 'subscribe' | 'unsubscribe'>;
  readonly groups: Pick<WorkerGroups, 'join'>;
  readonly jobs: Pick<JobsHere, 'member'>;
  readonly members: MemberDelivery;
  readonly places: Pick<Places, 'know'>;
}

/** [WS-RESUME-1] Whether subscriptions of the actor survive its connection. */
export const isResumable = (actorType: ActorType): boolean =>
  actorType === 'agent' || actorType === 'orchestrator';

/** What is named only where the client has asked for it. */
export const asked = ({ meta, own }: Pick<Wishes, 'meta' | 'own'>): { meta?: true; own?: true } => ({
  ...(meta && { meta }),
  ...(own && { own }),
});

/** What the owner of a group with jobs asks of its members. */
export interface ConnectionJobs {
  readonly held: HeldJobs;
  /** The group of the subscription has been deleted. */
  ended(subscription: Subscription): void;
}

const wishesOf = ({ filters, meta, own }: Wishes): Wishes => ({ filters, meta, own });

/** What the subscriptions of one connection have in common. */
export interface OfConnection {
  readonly acks: PendingAcks;
  readonly rooms: Pick<SubscribedRooms, 'enter' | 'leave'>;
  readonly jobs: ConnectionJobs;
  readonly life: SubscriptionLife;
}

/** Limit of the wait for a worker group when a member leaves it. */
const leaveTimeoutMs = 10_000;

/**
 * One topic of one session. Life cycle: `prepare`, `activate`, `release`, `leave`; `cancel` ends one that is
 * prepared and not active. It is either in the audience of its topic or a member of a worker group.
 */
export class Subscription extends Subscriber implements Replaying {
  /** The memory that was taken for it; set by `Subscriptions`. */
  heldBytes = 0;
  /** Whether the client has been told that it is subscribed; set by `Subscriptions`. */
  isAnswered = false;
  private readonly deps: SubscriptionDeps;
  private readonly acks: PendingAcks;
  private readonly connectionJobs: ConnectionJobs;
  private readonly subscribedRooms: OfConnection['rooms'];
  private readonly life: SubscriptionLife;
  private chosenQos: Qos;
  private chosenGroup: string | undefined;
  private chosenJobs: JobOptions | undefined;
  private isActive = false;
  private isBehind = false;
  private membership: Membership | JobMembership | undefined;
  private heldIn: Hold | undefined;

  constructor(
    client: Client,
    access: TopicAccess,
    options: SubscriptionOptions,
    { acks, rooms, jobs, life }: OfConnection,
    deps: SubscriptionDeps,
  ) {
    super(client, access, wishesOf(options));
    this.chosenQos = options.qos;
    this.chosenGroup = options.group;
    this.chosenJobs = options.jobs;
    this.acks = acks;
    this.connectionJobs = jobs;
    this.subscribedRooms = rooms;
    this.life = life;
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

  /** Whether its messages wait for what came before them to be sent. */
  get replays(): boolean {
    return this.isBehind;
  }

  get isJoined(): boolean {
    return this.isActive;
  }

  get pendingAcks(): PendingAcks {
    return this.acks;
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
    this.subscribedRooms.enter(this.access.room);
    this.hasNoValue();
    if (this.membership === undefined) this.deps.audiences.add(this);
    this.life.subscribed(this);
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
    if (this.isActive && this.membership === undefined) this.deps.audiences.catchUp(this);
  }

  leave(ending: SubscriptionEnding): void {
    if (!this.isActive) return;
    this.isActive = false;
    this.life.unsubscribed(this, ending);
    this.subscribedRooms.leave(this.access.room);
    if (this.membership === undefined) this.deps.audiences.remove(this);
    else this.acks.drop(this);
    this.endHold();
    this.cancel();
  }

  /** [WS-HIST-7] Its messages wait there from now on, or from when it is active. What waited elsewhere is not sent. */
  hold(hold: Hold): void {
    this.inAudience(() => {
      this.endHold();
      this.held = this.heldIn = hold;
    });
    this.isBehind = true;
    if (this.isActive) this.life.changed(this);
  }

  isHeldBy(hold: Hold): boolean {
    return this.heldIn === hold;
  }

  caughtUp(sent: ReplayExtent): void {
    this.isBehind = false;
    this.life.replayed(this, sent);
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
      this.life.changed(this);
      return membership.change(options);
    }
    if (options.jobs === undefined) throw new OtherKindOfGroup(options.group);
    this.choose(options);
    return membership.change(this.jobWishesOf(options), options.jobs);
  }

  private choose(options: SubscriptionOptions): void {
    this.chosenQos = options.qos;
    this.chosenGroup = options.group;
    this.chosenJobs = options.jobs;
    this.wishes = wishesOf(options);
    if (this.isActive) this.life.changed(this);
  }

  private wish(wishes: Wishes): void {
    this.inAudience(() => (this.wishes = wishesOf(wishes)));
    this.life.changed(this);
  }

  /** Changes what its place in the audience depends on. */
  private inAudience(change: () => void): void {
    const isListed = this.isActive && this.membership === undefined;
    if (isListed) this.deps.audiences.remove(this);
    change();
    if (isListed) this.deps.audiences.add(this);
  }

  private endHold(): void {
    this.heldIn?.clear();
    this.held = this.heldIn = undefined;
    this.isBehind = false;
  }

  /** Leaves the former group once the join of the new one takes effect. */
  private enterGroup(options: SubscriptionOptions): Promise<void> {
    const former = this.membership;
    const membership = this.membershipOf(options, () => {
      if (this.membership === membership) return;
      if (!this.isActive || this.membership !== former) return membership.leave();
      if (former) former.leave();
      else this.deps.audiences.remove(this);
      this.endHold();
      this.choose(options);
      this.membership = membership;
    });
    return membership.join();
  }

  /** It stays a member until all gateways have read the leave. */
  private leaveGroup(membership: Membership | JobMembership, options: SubscriptionOptions): Promise<void> {
    return new Promise((resolve) => {
      const left = (): void => {
        clearTimeout(timer);
        if (this.isActive && this.membership === membership) {
          this.membership = undefined;
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

  private membershipOf(options: JoinOptions, entered: () => void): Membership | JobMembership {
    const { jobs, group = '' } = options;
    return jobs === undefined
      ? this.plainMembershipOf(options, entered)
      : this.jobMembershipOf(options, { name: group, options: jobs, entered });
  }

  private plainMembershipOf({ filters, own, group = '' }: JoinOptions, entered: () => void): Membership {
    const { groups, members } = this.deps;
    const { room, topic, location } = this.access;
    const { actorTokenId, actorType, accessScope } = this.client.identity;
    return groups.join({
      ...{ room, topic, group, actorTokenId, filters, own, entered },
      connection: this.client.connection,
      isPersistent: isResumable(actorType),
      place: `${location.room.value.roomId}/${accessScope?.accessScopeId ?? ''}`,
      replay: members.replay(this),
      acks: members.acks,
      deliver: (message) => members.deliver(this, message),
      isReachable: () => this.outbox.isOpen,
    });
  }

  private jobMembershipOf(
    wishes: JoinOptions,
    { name, options, entered }: Pick<JobMemberOptions, 'name' | 'options' | 'entered'>,
  ): JobMembership {
    const { jobs, members } = this.deps;
    const { room, topic, location } = this.access;
    const { projectId, actorTokenId, accessScope } = this.client.identity;
    const owners = {
      ...{ projectId, appId: location.app.value.appId, roomId: location.room.value.roomId },
      accessScopeId: accessScope?.accessScopeId ?? null,
    };
    return jobs.member({
      ...{ owners, room, topic, name, options, entered, actorTokenId },
      wishes: this.jobWishesOf(wishes),
      held: this.connectionJobs.held,
      hasRoom: () => members.hasRoom(this),
      deliver: (message, delivery) => {
        members.deliverJob(this, message, delivery);
        this.life.handedOut(this, message.id, delivery);
      },
      ended: () => this.connectionJobs.ended(this),
    });
  }

  private jobWishesOf({ filters, own }: Pick<SubscriptionOptions, 'filters' | 'own'>): JobWishes {
    return { filters, own: own ? this.client.connection : undefined };
  }
}

type JoinOptions = Pick<SubscriptionOptions, 'filters' | 'own' | 'group' | 'jobs'>;
