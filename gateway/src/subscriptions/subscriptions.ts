import type { Capabilities } from '@roomwire/shared/domain/capabilities';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { StoredSubscription } from '@roomwire/shared/ports/sessionStore';
import type { SetFiltersFrame, SubscribeFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { RestoredSubscription } from '@roomwire/shared/wire/protocol/serverFrames';
import type { Identity } from '../access/client.js';
import { isCurrent, type TopicAccess } from '../access/topicAccess.js';
import type { SubscriptionEnding, SubscriptionLife } from '../connection-facts/connectionLife.js';
import type { Retained } from '../fanout/retained.js';
import type { Hold } from '../history/hold.js';
import type { RecordReads } from '../history/recordReads.js';
import type { SubscriptionMemory } from '../limits/subscriptionMemory.js';
import { filterError } from '../policy/filters.js';
import { HeldJobs } from '../jobs/members/heldJobs.js';
import type { JobsHere } from '../jobs/noJobs.js';
import { OtherKindOfGroup } from '../jobs/owner/otherKindOfGroup.js';
import { wholeJobOptions } from '@roomwire/shared/wire/protocol/jobOptions';
import type { Hydrations } from '../webhooks/hydrations.js';
import { beginInRecord, beginsInRecord } from './beginInRecord.js';
import { HeldMemory } from './heldMemory.js';
import { PendingAcks } from './pendingAcks.js';
import { tellRefusedSubscribe } from './refusedSubscribe.js';
import { SubscribedRooms, uncounted, type RoomSubscribers } from './roomSubscribers.js';
import {
  SubscriptionRights,
  type Held,
  type RightfulClient,
  type SubscriptionRightsDeps,
} from './subscriptionRights.js';
import { asked, Subscription, type SubscriptionDeps, type SubscriptionOptions } from './subscription.js';

/** A session that subscribes. */
export interface SubscribingClient extends RightfulClient {
  readonly life: SubscriptionLife;
  /** Runs a task between two frames. It must not reject. */
  inTurn(task: () => Promise<void>): void;
}

export interface SubscriptionsDeps extends SubscriptionDeps, SubscriptionRightsDeps {
  readonly retained: Pick<Retained, 'sendLast'>;
  readonly record: RecordReads;
  readonly jobs: Pick<JobsHere, 'member' | 'isGroup'>;
  readonly roomSubscribers: RoomSubscribers;
  readonly hydrations: Pick<Hydrations, 'ask'>;
  readonly logger: Logger;
  readonly memory: Pick<SubscriptionMemory, 'open' | 'change'>;
  /** Of one connection. */
  readonly maxSubscriptions: number;
  /** The subscriptions of a session that is resumable may have changed. */
  readonly changed: (subscriptions: Subscriptions) => void;
}

/** Subscriptions of an earlier connection that are prepared and not in force. Either `activate` or `cancel` must be called. */
export interface Restoration {
  /** Activates all of them together, so that the answer that lists them precedes their messages. */
  activate(): readonly RestoredSubscription[];
  /** The answer is sent. */
  release(): void;
  cancel(): void;
}

const retryAfterMs = 1_000;

/**
 * The subscriptions of one session. Every subscription, new, restored or moved to another scope, takes the same steps:
 * `prepare` (nothing more is missed), `activate` (live messages reach it) and, once the client has the answer, `release`.
 */
export class Subscriptions {
  readonly acks = new PendingAcks();
  /** The jobs that its client has. */
  readonly jobs = new HeldJobs();
  readonly rooms: SubscribedRooms;
  private readonly client: SubscribingClient;
  private readonly deps: SubscriptionsDeps;
  /** By the address as the client writes it. */
  private readonly byAddress = new Map<string, Subscription>();
  private readonly memory: HeldMemory;
  private readonly rights: SubscriptionRights;

  constructor(client: SubscribingClient, deps: SubscriptionsDeps) {
    this.client = client;
    this.deps = deps;
    this.memory = new HeldMemory(client, deps.memory);
    // [WS-OBS-4]
    this.rooms = new SubscribedRooms(client.identity.observes ? uncounted : deps.roomSubscribers);
    const drop: Held['drop'] = (address, ending) => this.drop(address, ending);
    const held = { subscriptions: this.byAddress, drop };
    this.rights = new SubscriptionRights(client, held, deps);
  }

  get identity(): Identity {
    return this.client.identity;
  }

  get size(): number {
    return this.byAddress.size;
  }

  get entries(): Iterable<readonly [address: string, subscription: Subscription]> {
    return this.byAddress;
  }

  /** Slugs of the apps in which the session is subscribed. */
  apps(): readonly string[] {
    return [...new Set([...this.byAddress.keys()].map((address) => address.split('/', 1)[0] as string))];
  }

  /** [WS-SUB-1] The answer is sent once every message that is published from now on will be delivered. */
  async subscribe(frame: SubscribeFrame): Promise<ProtocolErrorName | void> {
    const error = await this.trySubscribe(frame);
    if (error) tellRefusedSubscribe(this.deps.logger, this.client, frame, error);
    return error;
  }

  /** [WS-FILTER-5] */
  setFilters({ topic, filters }: SetFiltersFrame): ProtocolErrorName | void | Promise<void> {
    const error = filterError(filters);
    if (error) return error;
    const subscription = this.byAddress.get(topic);
    if (subscription === undefined) return 'notSubscribed';
    const { qos, group, jobs, meta, own } = subscription;
    const options = { qos, group, jobs, meta, own, filters: filters.length === 0 ? undefined : filters };
    if (!this.memory.take(topic, subscription, options)) return 'memoryLimitExceeded';
    const settle = (): void => this.settleMemory(topic, subscription);
    const answer = (): void => {
      this.deps.changed(this);
      this.client.send({ type: 'filtersUpdated', topic, filters });
    };
    const changing = subscription.change(options);
    if (changing) return changing.then(answer).finally(settle);
    settle();
    return answer();
  }

  /** [WS-UNSUB-1] */
  unsubscribe(topic: string): void {
    if (!this.byAddress.has(topic)) return;
    this.drop(topic, { reason: 'client' });
    this.deps.changed(this);
  }

  /**
   * [WS-RESUME-2] Prepares the stored subscriptions that the actor still may have. Rejects, without side effects, where
   * an engine is unavailable.
   */
  async restore(recorded: readonly StoredSubscription[]): Promise<Restoration> {
    const outcomes = await Promise.allSettled(recorded.map((stored) => this.prepareStored(stored)));
    const prepared = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
    const cancel = (): void => {
      for (const [, subscription] of prepared) subscription.cancel();
      this.memory.close();
    };
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure !== undefined) {
      cancel();
      throw failure.reason;
    }
    return {
      activate: () =>
        prepared.map(([address, subscription]) => {
          this.activate(address, subscription);
          return restored(address, subscription);
        }),
      release: () => {
        for (const [, subscription] of prepared) {
          subscription.isAnswered = true;
          this.release(subscription, true);
          this.hydrate(subscription);
        }
      },
      cancel,
    };
  }

  /**
   * [WS-SCOPE-4] The client has entered another scope: nothing of the old one reaches it from this call on. The
   * subscriptions join the same addresses of the new scope between two frames.
   */
  changeScope(): void {
    for (const subscription of this.byAddress.values()) subscription.leave({ reason: 'scope_changed' });
    this.client.inTurn(() => this.rejoin());
  }

  /** Ends subscriptions that changed documents no longer allow. Rejects when the read models fail. */
  recheck(): Promise<void> {
    return this.rights.recheck();
  }

  /** [WS-GRANT-4] */
  endExpired(now: number): void {
    this.rights.endExpired(now);
  }

  /** [WS-CAP-5] */
  endLeftOut(capabilities: Capabilities): void {
    if (this.rights.endLeftOut(capabilities)) this.deps.changed(this);
  }

  /** What is on its way to the client is in its outbox, which is about to close. */
  catchUp(): void {
    for (const subscription of this.byAddress.values()) subscription.catchUp();
  }

  /** The connection has ended. */
  end(): void {
    for (const subscription of this.byAddress.values()) subscription.leave({ reason: 'closed' });
    this.byAddress.clear();
    this.jobs.clear();
    this.memory.close();
  }

  private async trySubscribe(frame: SubscribeFrame): Promise<ProtocolErrorName | void> {
    const { topic } = frame;
    const error = filterError(frame.filters);
    if (error) return error;
    // [WS-OBS-3]
    if (frame.loadBalance && this.identity.observes) return 'observerReadOnly';
    const access = await this.client.access(topic);
    if (!access?.maySubscribe) return 'unknownTopic';
    // [WS-CAP-3]
    if (frame.from !== undefined && !access.mayReadHistory) return 'unknownTopic';
    if (frame.from !== undefined && access.history === undefined) return 'historyDisabled';
    if (this.client.isOver) return;

    const known = this.byAddress.get(topic);
    if (known === undefined && this.isFull) return 'subscriptionLimit';
    const options = this.optionsOf(frame);
    if (await this.isOtherKind(access, options)) return 'invalidFrame';
    if (this.client.isOver) return;
    const subscription = known ?? this.create(access, options);
    if (!this.memory.take(topic, subscription, options)) return 'memoryLimitExceeded';
    try {
      return await this.enter(frame, subscription, access, options);
    } catch (error) {
      if (error instanceof OtherKindOfGroup) return 'invalidFrame';
      throw error;
    } finally {
      this.settleMemory(topic, subscription);
    }
  }

  private async enter(
    frame: SubscribeFrame,
    subscription: Subscription,
    access: TopicAccess,
    options: SubscriptionOptions,
  ): Promise<ProtocolErrorName | void> {
    const { topic, loadBalance } = frame;
    subscription.restOn(access);
    const changing = subscription.change(options);
    if (changing) await changing;
    // [WS-HIST-7] What is held without a place could not be told from what is replayed.
    if (access.history && beginsInRecord(frame, access)) await this.deps.places.know(access.history.topic);
    if (this.client.isOver) return;
    const isNew = !subscription.isJoined;
    const hold = beginsInRecord(frame, access) ? this.deps.record.hold(frame) : undefined;
    if (hold) subscription.hold(hold);
    if (isNew) {
      // One that has ended during the change does not have the new options yet.
      void subscription.change(options);
      const outcome = await this.join(topic, subscription, access);
      if (outcome === 'scopeChanged') return this.trySubscribe(frame);
      // Its rights may have ended as soon as it began.
      if (outcome === 'ended' || !this.isListed(topic, subscription))
        return this.client.isOver ? undefined : 'unknownTopic';
    } else this.client.restOn(access);
    if (hold) return this.begin(frame, subscription, hold, isNew);
    this.deps.changed(this);
    subscription.isAnswered = true;
    this.client.send({ type: 'subscribed', topic, loadBalance, ...asked(frame) });
    this.release(subscription, isNew);
    this.hydrate(subscription);
  }

  /** [WS-HIST-4] Its live messages wait until it is known what comes before them. */
  private async begin(
    frame: SubscribeFrame,
    subscription: Subscription,
    hold: Hold,
    isNew: boolean,
  ): Promise<ProtocolErrorName | void> {
    const { topic, loadBalance } = frame;
    const begun = await beginInRecord(this.deps.record, subscription, { hold, frame, isNew }).catch(
      (error: unknown) => {
        if (isNew) this.drop(topic, { reason: 'unavailable' });
        throw error;
      },
    );
    if (this.client.isOver) return;
    // Its rights have ended meanwhile, or its actor has changed its scope.
    if (begun === 'ended') return this.byAddress.has(topic) ? this.trySubscribe(frame) : 'unknownTopic';
    if (begun === 'refused') {
      this.drop(topic, { reason: 'continuity_lost' });
      this.deps.changed(this);
      return 'continuityLost';
    }
    this.deps.changed(this);
    subscription.isAnswered = true;
    this.client.send({ type: 'subscribed', topic, loadBalance, ...asked(frame), ...begun.answer });
    // [WS-HIST-7] With `from` there is no last value besides.
    if (frame.from === undefined) this.release(subscription, isNew);
    begun.start();
    this.hydrate(subscription);
  }

  /** [WS-OBS-4] No backend is asked for an observer. */
  private hydrate(subscription: Subscription): void {
    if (!this.identity.observes) this.deps.hydrations.ask(subscription);
  }

  /** [WS-MEM-2] */
  private get isFull(): boolean {
    return this.byAddress.size >= this.deps.maxSubscriptions;
  }

  /** Gives back what a subscription does not need any more. */
  private settleMemory(address: string, subscription: Subscription): void {
    this.memory.settle(address, subscription, this.isListed(address, subscription));
  }

  private isListed(address: string, subscription: Subscription): boolean {
    return this.byAddress.get(address) === subscription;
  }

  /**
   * Joins the topic of the access, unless the session or the subscription ends or the actor changes its scope in the meantime.
   */
  private async join(
    address: string,
    subscription: Subscription,
    access: TopicAccess,
  ): Promise<'joined' | 'ended' | 'scopeChanged'> {
    const listed = this.byAddress.get(address);
    await subscription.prepare(access);
    const hasEnded = this.client.isOver || this.byAddress.get(address) !== listed;
    const isScopeCurrent = access.scope === this.client.identity.scope;
    if (hasEnded || !isScopeCurrent) {
      subscription.cancel();
      return hasEnded ? 'ended' : 'scopeChanged';
    }
    this.activate(address, subscription);
    return 'joined';
  }

  private activate(address: string, subscription: Subscription): void {
    const { access } = subscription;
    subscription.activate();
    this.byAddress.set(address, subscription);
    // Not earlier: `endExpired` forgets the expiry of grants that no subscription depends on.
    this.client.restOn(access);
    // A change that arrived while waiting for the bus did not include this subscription.
    if (!isCurrent(access)) this.deps.recheckProject(this.client.identity.projectId);
  }

  /** The client has the answer. A new subscription gets the retained value. */
  private release(subscription: Subscription, isNew: boolean): void {
    subscription.release();
    // [WS-GROUP-7] Not for members of a group, since each message is for one of them.
    if (isNew && subscription.group === undefined) this.deps.retained.sendLast(subscription);
  }

  private drop(address: string, ending: SubscriptionEnding): void {
    const subscription = this.byAddress.get(address);
    if (subscription === undefined) return;
    this.byAddress.delete(address);
    subscription.leave(ending);
    this.settleMemory(address, subscription);
  }

  private async prepareStored(
    stored: StoredSubscription,
  ): Promise<readonly (readonly [address: string, subscription: Subscription])[]> {
    const { pattern, loadBalanceGroup, jobs, meta = false, own = false } = stored;
    const access = await this.client.access(pattern);
    if (!access?.maySubscribe) return [];
    const options = this.optionsOf({ ...stored, jobs, meta, own, loadBalanceGroup: loadBalanceGroup ?? '' });
    if (await this.isOtherKind(access, options)) return [];
    const subscription = this.create(access, options);
    if (!this.memory.take(pattern, subscription, options)) return [];
    try {
      await subscription.prepare(access);
    } catch (error) {
      if (error instanceof OtherKindOfGroup) return [];
      throw error;
    }
    return [[pattern, subscription]];
  }

  /** Retries while an engine is unavailable. */
  private async rejoin(): Promise<void> {
    try {
      for (const [address, subscription] of this.byAddress) {
        if (!subscription.isJoined) await this.rejoinOne(address, subscription);
      }
    } catch (error) {
      this.deps.logger.warn('Subscriptions could not follow their actor to another scope yet', { error });
      setTimeout(() => this.client.inTurn(() => this.rejoin()), retryAfterMs).unref();
    }
  }

  private async rejoinOne(address: string, subscription: Subscription): Promise<void> {
    const access = await this.client.access(address);
    if (this.client.isOver) return;
    if (!access?.maySubscribe) return this.rights.endFor(address, 'scope_changed');
    const outcome = await this.join(address, subscription, access).catch((error: unknown) => {
      if (error instanceof OtherKindOfGroup) return 'otherKind' as const;
      throw error;
    });
    if (outcome === 'otherKind') return this.rights.endFor(address, 'scope_changed');
    // After another change of scope the next `rejoin` joins it.
    if (outcome === 'joined') this.release(subscription, true);
  }

  /** [WS-JOB-3] Whether it would be a member without jobs of a group with jobs. */
  private isOtherKind(
    { topic, location }: TopicAccess,
    { group, jobs }: SubscriptionOptions,
  ): boolean | Promise<boolean> {
    if (group === undefined || jobs !== undefined) return false;
    const { projectId, accessScope } = this.client.identity;
    const owners = {
      ...{ projectId, appId: location.app.value.appId, roomId: location.room.value.roomId },
      accessScopeId: accessScope?.accessScopeId ?? null,
    };
    return this.deps.jobs.isGroup({ owners, topic, name: group });
  }

  private create(access: TopicAccess, options: SubscriptionOptions): Subscription {
    const jobs = { held: this.jobs, ended: (ended: Subscription) => this.groupDeleted(ended) };
    const { acks, rooms } = this;
    const { life } = this.client;
    return new Subscription(this.client, access, options, { acks, rooms, jobs, life }, this.deps);
  }

  /** [WS-JOB-12] */
  private groupDeleted(subscription: Subscription): void {
    for (const [address, listed] of this.byAddress) {
      if (listed !== subscription) continue;
      this.rights.endFor(address, 'group_deleted');
      return this.deps.changed(this);
    }
  }

  private optionsOf({
    qos,
    filters,
    loadBalance,
    loadBalanceGroup,
    jobs,
    meta,
    own,
  }: Omit<SubscribeFrame, 'type' | 'topic' | 'from' | 'onGap'>): SubscriptionOptions {
    return {
      qos,
      meta,
      own,
      jobs: jobs && wholeJobOptions(jobs),
      filters: filters.length === 0 ? undefined : filters,
      group: loadBalance ? loadBalanceGroup || this.client.identity.actorTokenId : undefined,
    };
  }
}

const restored = (pattern: string, subscription: Subscription): RestoredSubscription => {
  const { access, filters = [], group, jobs } = subscription;
  return {
    pattern,
    topic: access.topic,
    load_balance: group !== undefined,
    load_balance_group: group ?? null,
    filters,
    ...asked(subscription),
    ...(jobs && { jobs }),
  };
};
