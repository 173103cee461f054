import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';
import type { ConnectionFact, FactOf, FactPlace } from '@roomwire/shared/wire/bus/connectionFacts';
import type { Identity } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import type { Wishes } from '../fanout/subscriber.js';
import type { ReplayExtent } from '../history/replay.js';
import type { FactWriter } from './factWriter.js';

/** How a connection ended. */
export interface ConnectionEnding {
  readonly code: number;
  readonly reason: string;
  readonly by: 'gateway' | 'client';
}

/** A subscription, as far as it decides what its client gets. */
export interface LivingSubscription extends Pick<Wishes, 'filters' | 'own'> {
  readonly access: Pick<TopicAccess, 'room' | 'topic'>;
  readonly group: string | undefined;
  readonly jobs: object | undefined;
  /** Whether its messages wait for what came before them to be sent. */
  readonly replays: boolean;
  /** Whether messages reach it. */
  readonly isJoined: boolean;
}

/** A connection that has authenticated. */
export interface LivingClient {
  readonly identity: Identity;
  /** Of the actor. */
  readonly keyId: string;
  readonly address: string;
  /** In the ids of its messages. */
  readonly connection: string;
  readonly sdk: string | undefined;
  /** Unix milliseconds. */
  readonly connectedAt: number;
  readonly subscriptions: { readonly entries: Iterable<readonly [unknown, LivingSubscription]> };
}

/** Why a subscription has ended; the rule by which it may not be, where that is known. */
export interface SubscriptionEnding {
  readonly reason: string;
  readonly rule?: string | undefined;
}

/** What happens to the subscriptions of a connection. */
export interface SubscriptionLife {
  subscribed(subscription: LivingSubscription): void;
  changed(subscription: LivingSubscription): void;
  replayed(subscription: LivingSubscription, sent: ReplayExtent): void;
  unsubscribed(subscription: LivingSubscription, ending: SubscriptionEnding): void;
  handedOut(subscription: LivingSubscription, messageId: string, delivery: number): void;
}

/** What happens to a connection, for the record of it. Everything else than between `begin` and `end` is passed over. */
export interface Life extends SubscriptionLife {
  begin(): void;
  renewed(): void;
  slow(since: number, bytes: number): void;
  end(ending: ConnectionEnding): void;
}

const nothing = (): void => undefined;

/** Where nothing is on record. */
export const unrecordedLife: Life = {
  ...{ begin: nothing, renewed: nothing, slow: nothing, end: nothing },
  ...{ subscribed: nothing, changed: nothing, replayed: nothing, unsubscribed: nothing, handedOut: nothing },
};

export interface LifeDeps<C extends LivingClient = LivingClient> {
  readonly writer: Pick<FactWriter, 'add' | 'addHandOut' | 'leave'> & {
    enter(life: ConnectionLife<C>): void;
  };
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'uuid'>;
  /** The offset of the next message of a room, and the epoch of it. */
  readonly next: (room: string) => number | undefined;
  readonly epochOf: (room: string) => number | undefined;
}

/** The life of a connection that is on record. */
export class ConnectionLife<C extends LivingClient = LivingClient> implements Life {
  readonly id: string;
  readonly client: C;
  private readonly deps: LifeDeps<C>;
  private isOn = false;

  constructor(client: C, deps: LifeDeps<C>) {
    this.id = deps.random.uuid();
    this.client = client;
    this.deps = deps;
  }

  begin(): void {
    this.isOn = true;
    this.deps.writer.enter(this);
    this.add({ ...this.now(), kind: 'authenticated', ...this.holder() });
  }

  renewed(): void {
    const { scope, capabilities } = this.client.identity;
    const narrowed = capabilities === undefined ? undefined : true;
    this.add({ ...this.now(), kind: 'renewed', scope, narrowed });
  }

  subscribed(subscription: LivingSubscription): void {
    this.add({ ...this.now(), kind: 'subscribed', ...this.topicOf(subscription), ...wishesOf(subscription) });
  }

  changed(subscription: LivingSubscription): void {
    this.add({ ...this.now(), kind: 'changed', ...this.topicOf(subscription), ...wishesOf(subscription) });
  }

  replayed({ access: { topic } }: LivingSubscription, { first, upTo }: ReplayExtent): void {
    const place = upTo && { epoch: upTo.epoch, offset: upTo.offset + 1 };
    this.add({ ...this.now(), kind: 'replayed', topic, place, first });
  }

  unsubscribed(subscription: LivingSubscription, { reason, rule }: SubscriptionEnding): void {
    this.add({ ...this.now(), kind: 'unsubscribed', ...this.topicOf(subscription), reason, rule });
  }

  handedOut(subscription: LivingSubscription, messageId: string, delivery: number): void {
    if (!this.isOn) return;
    const { group = '' } = subscription;
    const { topic } = subscription.access;
    const fact: FactOf<'handedOut'> = { ...this.now(), kind: 'handedOut', topic, group, messageId, delivery };
    this.deps.writer.addHandOut(fact);
  }

  slow(since: number, bytes: number): void {
    this.add({ ...this.now(), kind: 'slow', since, bytes, places: this.places() });
  }

  end(ending: ConnectionEnding): void {
    if (!this.isOn) return;
    this.add({ ...this.now(), kind: 'closed', ...ending, places: this.places() });
    this.isOn = false;
    this.deps.writer.leave(this.id);
  }

  standing(): ConnectionFact {
    const subscriptions = [...this.client.subscriptions.entries]
      .map(([, subscription]) => subscription)
      .filter(({ isJoined }) => isJoined)
      .map((subscription) => ({ ...this.topicOf(subscription), ...wishesOf(subscription) }));
    return { ...this.now(), kind: 'standing', ...this.holder(), subscriptions };
  }

  private add(fact: ConnectionFact): void {
    if (this.isOn) this.deps.writer.add(fact);
  }

  private now(): { readonly connection: string; readonly at: number } {
    return { connection: this.id, at: this.deps.clock.now() };
  }

  private holder() {
    const { identity, keyId, address, connection: mark, sdk, connectedAt } = this.client;
    const { organizationId, projectId, actorTokenId, actorType, externalType, scope, capabilities } =
      identity;
    return {
      ...{ organizationId, projectId, actorTokenId, keyId, actorType: externalType ?? actorType },
      ...{ scope, mark, address, sdk, connectedAt, narrowed: capabilities === undefined ? undefined : true },
    };
  }

  private topicOf({ access: { room, topic } }: LivingSubscription) {
    return { topic, place: this.placeIn(room) };
  }

  private placeIn(room: string): FactPlace | undefined {
    const offset = this.deps.next(room);
    return offset === undefined ? undefined : { epoch: this.deps.epochOf(room), offset };
  }

  private places(): Readonly<Record<string, FactPlace>> {
    const places: Record<string, FactPlace> = {};
    for (const [, { access, isJoined }] of this.client.subscriptions.entries) {
      if (!isJoined || places[access.room] !== undefined) continue;
      const place = this.placeIn(access.room);
      if (place !== undefined) places[access.room] = place;
    }
    return places;
  }
}

const wishesOf = ({ filters, own, group, jobs, replays }: LivingSubscription) => ({
  ...{ filters, group },
  ...(own && { own }),
  ...(replays && { replays }),
  ...(jobs && { jobs: true }),
});
