import type { Capabilities } from '@roomwire/shared/domain/capabilities';
import { parseTopicAddress } from '@roomwire/shared/domain/topic';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { EndedReason } from '@roomwire/shared/wire/protocol/serverFrames';
import type { Client } from '../access/client.js';
import type { SubscriptionEnding } from '../connection-facts/connectionLife.js';
import type { SubscribeRule } from '../access/subscribeRule.js';
import { isCurrent, type TopicAccess } from '../access/topicAccess.js';
import { endedReason } from './endedReason.js';
import type { Subscription } from './subscription.js';

/** A session whose subscriptions rest on rights. */
export interface RightfulClient extends Client {
  /** What the actor may do at an address. Rejects when the read models fail. */
  access(address: string): TopicAccess | undefined | Promise<TopicAccess | undefined>;
  /** By which rule it may subscribe at an address that was just asked for, or may not. */
  subscribeRule(address: string): SubscribeRule;
  /** [WS-NOTICE-2] */
  readonly wantsNotices: boolean;
  /** Has `endExpired` called when these rights have expired. */
  restOn(access: TopicAccess): void;
}

export interface SubscriptionRightsDeps {
  readonly views: Pick<ViewReader, 'get'>;
  /** Checks the subscriptions of a project again. */
  readonly recheckProject: (projectId: string) => void;
}

/** Subscriptions by the address as the client writes it. */
export interface Held {
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  /** Ends one, without a frame. */
  drop(address: string, ending: SubscriptionEnding): void;
}

/** Ends the subscriptions of one session that it may not have any more. */
export class SubscriptionRights {
  private readonly client: RightfulClient;
  private readonly held: Held;
  private readonly deps: SubscriptionRightsDeps;

  constructor(client: RightfulClient, held: Held, deps: SubscriptionRightsDeps) {
    this.client = client;
    this.held = held;
    this.deps = deps;
  }

  /** Ends subscriptions that changed documents no longer allow. Rejects when the read models fail. */
  async recheck(): Promise<void> {
    for (const [address, subscription] of this.held.subscriptions) {
      if (!isCurrent(subscription.access)) await this.recheckOne(address, subscription);
    }
  }

  /** [WS-GRANT-4] */
  endExpired(now: number): void {
    for (const [address, { access }] of this.held.subscriptions) {
      if (access.until > now) this.client.restOn(access);
      else this.endFor(address, 'grant_expired');
    }
  }

  /** [WS-CAP-5] */
  endLeftOut(capabilities: Capabilities): void {
    const leftOut = [...this.held.subscriptions.keys()].filter((address) => {
      const parts = parseTopicAddress(address);
      return parts && !capabilities.at(parts).has('subscribe');
    });
    for (const address of leftOut) this.endFor(address, 'capability');
  }

  /** [WS-NOTICE-3] Without a frame for a client that has not asked for it, or has not been told that it is subscribed. */
  endFor(topic: string, reason: EndedReason): void {
    const isTold = this.client.wantsNotices && this.held.subscriptions.get(topic)?.isAnswered === true;
    this.held.drop(topic, { reason });
    if (isTold) this.client.send({ type: 'subscriptionEnded', topic, reason });
  }

  private async recheckOne(address: string, subscription: Subscription): Promise<void> {
    const access = await this.client.access(address);
    if (!this.isInForce(address, subscription)) return;
    if (!access?.maySubscribe) return this.loseRights(address, subscription);
    subscription.restOn(access);
    this.client.restOn(access);
  }

  private async loseRights(address: string, subscription: Subscription): Promise<void> {
    const { wantsNotices, identity } = this.client;
    const rule = this.client.subscribeRule(address);
    if (!wantsNotices) return this.held.drop(address, { reason: 'rights_ended', rule });
    const lost = { address, former: subscription.access, rule };
    const reason = await endedReason(this.deps.views, lost);
    if (!this.isInForce(address, subscription)) return;
    if (reason === undefined) this.deps.recheckProject(identity.projectId);
    else this.endFor(address, reason);
  }

  /** One that is being moved to another scope is not: it is resolved again when it joins there. */
  private isInForce(address: string, subscription: Subscription): boolean {
    return this.held.subscriptions.get(address) === subscription && subscription.isJoined;
  }
}
