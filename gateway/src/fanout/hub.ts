import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { ChannelReader } from '@roomwire/shared/ports/messageBus';
import type { Membership } from '../groups/membership.js';
import type { MemberReplay, MemberWish } from '../groups/workerGroups.js';
import { isResumable } from '../resume/sessionRecord.js';
import { Audience } from './audience.js';
import type { Subscription, SubscriptionOptions } from './subscription.js';

/** The part of the worker groups that the hub needs. */
export interface Groups {
  join(wish: MemberWish): Membership;
}

/** What the hub does for members of worker groups. */
export interface MemberDelivery {
  /** Whether clients acknowledge what they get. */
  readonly acks: boolean;
  deliver(subscription: Subscription, message: LiveMessage): void;
  /** What it has not acknowledged is not its own any more. */
  left(subscription: Subscription): void;
  replay(subscription: Subscription): MemberReplay;
}

/** Nobody waits longer for the bus to tell that a member has left its group. */
const leaveMs = 10_000;

/** The subscriptions of this gateway, by internal topic: those that get every message, and members of worker groups. */
export class Hub {
  private readonly topics = new Map<string, Audience>();
  private readonly members: MemberDelivery | undefined;
  private reader: Pick<ChannelReader, 'subscribe' | 'unsubscribe'> | undefined;
  private groups: Groups | undefined;

  constructor(members?: MemberDelivery) {
    this.members = members;
  }

  /** Must be called before the first `join`. */
  readFrom(reader: Pick<ChannelReader, 'subscribe' | 'unsubscribe'>, groups?: Groups): void {
    this.reader = reader;
    this.groups = groups;
  }

  /** Undefined where nobody listens. Must not be kept. */
  audience(topic: string): Audience | undefined {
    return this.topics.get(topic);
  }

  /** From the moment this resolves every message of the topic reaches the subscription, or its group. */
  async join(subscription: Subscription): Promise<void> {
    await this.ready(subscription);
    this.add(subscription);
  }

  /** The first half of a join: what comes from now on is not missed. Each is to be added, or left. */
  async ready(subscription: Subscription): Promise<void> {
    await this.attend(subscription.access.room);
    if (subscription.group === undefined) return;
    subscription.membership = this.membershipOf(subscription, subscription, () => undefined);
    try {
      await subscription.membership.join();
    } catch (error) {
      this.turnAway(subscription);
      throw error;
    }
  }

  /** From the moment this resolves every message of the room comes to this gateway. */
  async attend(room: string): Promise<void> {
    await this.reader?.subscribe(room);
  }

  forget(room: string): void {
    this.reader?.unsubscribe(room);
  }

  /** The second half of a join. */
  add(subscription: Subscription): void {
    subscription.isJoined = true;
    subscription.greeted = subscription.newest = '';
    if (subscription.membership === undefined) this.seat(subscription);
  }

  /** Its client has been told that it is subscribed. A member of a group is given nothing before. */
  release({ membership }: Subscription): void {
    membership?.release();
  }

  /** Instead of the second half. */
  turnAway(subscription: Subscription): void {
    // Whose connection has ended may be back.
    subscription.membership?.leave(!subscription.session.isOver);
    subscription.membership = undefined;
    this.forget(subscription.access.room);
  }

  leave(subscription: Subscription): void {
    if (!subscription.isJoined) return;
    subscription.isJoined = false;
    if (subscription.membership) this.members?.left(subscription);
    if (subscription.membership) return this.turnAway(subscription);
    this.unseat(subscription);
    this.forget(subscription.access.room);
  }

  /**
   * [WS-SUB-2] From one message to the next: the one before it goes by the old options, the next one by the new. Resolves
   * when it has happened, which without a group is at once.
   */
  change(subscription: Subscription, options: SubscriptionOptions): void | Promise<void> {
    const { membership, isJoined } = subscription;
    subscription.qos = options.qos;
    if (!isJoined) return void Object.assign(subscription, options);
    if (membership === undefined) {
      return options.group === undefined
        ? this.refilter(subscription, options)
        : this.enterGroup(subscription, options);
    }
    if (options.group === undefined) return this.leaveGroup(subscription, membership, options);
    if (options.group !== membership.group) return this.enterGroup(subscription, options);
    subscription.filters = options.filters;
    return membership.change(options.filters);
  }

  private refilter(subscription: Subscription, { filters }: SubscriptionOptions): void {
    this.unseat(subscription);
    subscription.filters = filters;
    this.seat(subscription);
  }

  /** It stays where it is until it takes part in the new one. */
  private enterGroup(subscription: Subscription, options: SubscriptionOptions): Promise<void> {
    const former = subscription.membership;
    const membership = this.membershipOf(subscription, options, () => {
      if (subscription.membership === membership) return;
      if (!subscription.isJoined || subscription.membership !== former) return membership.leave();
      if (former) former.leave();
      else this.unseat(subscription);
      Object.assign(subscription, options);
      subscription.membership = membership;
    });
    return membership.join();
  }

  /** It takes its turns until all know that it does not any more. */
  private leaveGroup(
    subscription: Subscription,
    membership: Membership,
    options: SubscriptionOptions,
  ): Promise<void> {
    return new Promise((resolve) => {
      const left = (): void => {
        clearTimeout(timer);
        if (subscription.isJoined && subscription.membership === membership) {
          subscription.membership = undefined;
          Object.assign(subscription, options);
          this.seat(subscription);
        }
        resolve();
      };
      const timer = setTimeout(left, leaveMs).unref();
      membership.leave(true, left);
    });
  }

  private membershipOf(
    subscription: Subscription,
    { filters, group = '' }: Pick<SubscriptionOptions, 'filters' | 'group'>,
    entered: () => void,
  ): Membership {
    const { groups, members } = this;
    if (groups === undefined || members === undefined) throw new Error('There are no worker groups yet');
    const { session, access } = subscription;
    const { actorTokenId, actorType, accessScope } = session.identity;
    return groups.join({
      room: access.room,
      topic: access.topic,
      group,
      actorTokenId,
      filters,
      isPersistent: isResumable(actorType),
      place: `${access.place.room.value.roomId}/${accessScope?.accessScopeId ?? ''}`,
      replay: members.replay(subscription),
      acks: members.acks,
      entered,
      deliver: (message) => members.deliver(subscription, message),
      isReachable: () => session.link.outbox.isOpen,
    });
  }

  private seat(subscription: Subscription): void {
    const { topic } = subscription.access;
    let audience = this.topics.get(topic);
    if (audience === undefined) this.topics.set(topic, (audience = new Audience()));
    audience.add(subscription);
  }

  private unseat(subscription: Subscription): void {
    const { topic } = subscription.access;
    const audience = this.topics.get(topic);
    audience?.remove(subscription);
    if (audience?.isEmpty) this.topics.delete(topic);
  }
}
