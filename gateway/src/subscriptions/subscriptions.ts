import type { Capabilities } from '@roomwire/shared/domain/capabilities';
import type { StoredSubscription } from '@roomwire/shared/ports/sessionStore';
import type { SetFiltersFrame, SubscribeFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { Identity } from '../access/client.js';
import { HeldJobs } from '../jobs/members/heldJobs.js';
import { filterError } from '../policy/filters.js';
import { HeldMemory } from './heldMemory.js';
import { changeScope } from './joining.js';
import type { Member } from './memberships.js';
import { PendingAcks } from './pendingAcks.js';
import { tellRefusedSubscribe } from './refusedSubscribe.js';
import { restore, type Restoration } from './restoring.js';
import { SubscribedRooms, uncounted } from './roomSubscribers.js';
import type { PartDeps, SessionParts, SubscribingClient } from './sessionParts.js';
import { subscribe } from './subscribing.js';
import type { Subscription } from './subscription.js';
import { SubscriptionList } from './subscriptionList.js';
import { SubscriptionRights } from './subscriptionRights.js';

export interface SubscriptionsDeps extends PartDeps {
  /** The subscriptions of a session that is resumable may have changed. */
  readonly changed: (subscriptions: Subscriptions) => void;
}

/** The subscriptions of one session. */
export class Subscriptions {
  readonly acks = new PendingAcks();
  /** The jobs that its client has. */
  readonly jobs = new HeldJobs();
  readonly rooms: SubscribedRooms;
  private readonly parts: SessionParts;

  constructor(client: SubscribingClient, deps: SubscriptionsDeps) {
    // [WS-OBS-4]
    this.rooms = new SubscribedRooms(client.identity.observes ? uncounted : deps.roomSubscribers);
    const changed = () => deps.changed(this);
    const list = new SubscriptionList(new HeldMemory(client, deps.memory), changed);
    const rights = new SubscriptionRights(client, list, deps);
    const { acks, rooms } = this;
    const jobs = { held: this.jobs, ended: (ended: Member) => this.groupDeleted(ended) };
    const ofConnection = { acks, rooms, jobs, life: client.life };
    this.parts = { client, deps, list, rights, ofConnection, changed };
  }

  get identity(): Identity {
    return this.parts.client.identity;
  }

  get size(): number {
    return this.parts.list.subscriptions.size;
  }

  get entries(): Iterable<readonly [address: string, subscription: Subscription]> {
    return this.parts.list.subscriptions;
  }

  /** Slugs of the apps in which the session is subscribed. */
  apps(): readonly string[] {
    const addresses = [...this.parts.list.subscriptions.keys()];
    return [...new Set(addresses.map((address) => address.split('/', 1)[0] as string))];
  }

  async subscribe(frame: SubscribeFrame): Promise<ProtocolErrorName | void> {
    const { client, deps } = this.parts;
    const error = await subscribe(this.parts, frame);
    if (error) tellRefusedSubscribe(deps.logger, client, frame, error);
    return error;
  }

  /** [WS-FILTER-5] */
  setFilters({
    topic,
    filters,
  }: SetFiltersFrame): ProtocolErrorName | void | Promise<ProtocolErrorName | void> {
    const { client, list, changed } = this.parts;
    const error = filterError(filters);
    if (error) return error;
    const subscription = list.subscriptions.get(topic);
    if (subscription === undefined) return 'notSubscribed';
    const { qos, group, jobs, meta, own } = subscription;
    const options = { qos, group, jobs, meta, own, filters: filters.length === 0 ? undefined : filters };
    if (!list.take(topic, subscription, options)) return 'memoryLimitExceeded';
    const settle = (): void => list.settle(topic, subscription);
    const answer = (): ProtocolErrorName | void => {
      // [WS-NOTICE-3] Its rights have ended while the change waited for its group.
      if (!list.isListed(topic, subscription)) return client.isOver ? undefined : 'notSubscribed';
      changed();
      client.send({ type: 'filtersUpdated', topic, filters });
    };
    const changing = subscription.change(options);
    if (changing) return changing.then(answer).finally(settle);
    settle();
    return answer();
  }

  /** [WS-UNSUB-1] */
  unsubscribe(topic: string): void {
    this.parts.list.drop(topic, { reason: 'client' });
  }

  restore(recorded: readonly StoredSubscription[]): Promise<Restoration> {
    return restore(this.parts, recorded);
  }

  changeScope(): void {
    changeScope(this.parts);
  }

  /** Ends subscriptions that changed documents no longer allow. Rejects when the read models fail. */
  recheck(): Promise<void> {
    return this.parts.rights.recheck();
  }

  /** [WS-GRANT-4] */
  endExpired(now: number): void {
    this.parts.rights.endExpired(now);
  }

  /** [WS-CAP-5] */
  endLeftOut(capabilities: Capabilities): void {
    this.parts.rights.endLeftOut(capabilities);
  }

  /** What is on its way to the client is in its outbox, which is about to close. */
  catchUp(): void {
    for (const subscription of this.parts.list.subscriptions.values()) subscription.catchUp();
  }

  /** The connection has ended. */
  end(): void {
    this.parts.list.end();
    this.jobs.clear();
  }

  /** [WS-JOB-12] */
  private groupDeleted(subscription: Member): void {
    const { list, rights } = this.parts;
    for (const [address, listed] of list.subscriptions)
      if (listed === subscription) return rights.endFor(address, 'group_deleted');
  }
}
