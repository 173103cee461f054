import type { Clock } from '@roomwire/shared/ports/clock';
import type { Random } from '@roomwire/shared/ports/random';
import type { ConnectionFact, FactPlace } from '@roomwire/shared/wire/bus/connectionFacts';
import type { Identity } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import type { Wishes } from '../fanout/subscriber.js';
import type { ReplayExtent } from '../history/replay.js';
import {
  bytesOfFilters,
  bytesOfRoom,
  bytesOfSubscription,
  mostBytesOfFact,
  mostFilterBytes,
} from './factBytes.js';
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
    this.deps.writer.add(this.holderFact('authenticated', this.deps.clock.now()));
  }

  renewed(): void {
    if (!this.isOn) return;
    const { scope, capabilities } = this.client.identity;
    const narrowed = capabilities === undefined ? undefined : true;
    const [connection, at] = [this.id, this.deps.clock.now()];
    this.deps.writer.add({ connection, at, kind: 'renewed', scope, narrowed });
  }

  subscribed(subscription: LivingSubscription): void {
    if (this.isOn) this.deps.writer.add(this.wishesFact('subscribed', subscription));
  }

  changed(subscription: LivingSubscription): void {
    if (this.isOn) this.deps.writer.add(this.wishesFact('changed', subscription));
  }

  replayed({ access: { topic } }: LivingSubscription, { first, upTo }: ReplayExtent): void {
    if (!this.isOn) return;
    const place = upTo && { epoch: upTo.epoch, offset: upTo.offset + 1 };
    const [connection, at] = [this.id, this.deps.clock.now()];
    this.deps.writer.add({ connection, at, kind: 'replayed', topic, place, first });
  }

  unsubscribed({ access }: LivingSubscription, { reason, rule }: SubscriptionEnding): void {
    if (!this.isOn) return;
    const { topic, room } = access;
    const [connection, at, place] = [this.id, this.deps.clock.now(), this.placeIn(room)];
    this.deps.writer.add({ connection, at, kind: 'unsubscribed', topic, place, reason, rule });
  }

  handedOut(subscription: LivingSubscription, messageId: string, delivery: number): void {
    if (!this.isOn) return;
    const { group = '' } = subscription;
    const { topic } = subscription.access;
    const [connection, at] = [this.id, this.deps.clock.now()];
    this.deps.writer.addHandOut({ connection, at, kind: 'handedOut', topic, group, messageId, delivery });
  }

  slow(since: number, bytes: number): void {
    if (!this.isOn) return;
    const [connection, at, places] = [this.id, this.deps.clock.now(), this.places()];
    this.deps.writer.add({ connection, at, kind: 'slow', since, bytes, places });
  }

  end({ code, reason, by }: ConnectionEnding): void {
    if (!this.isOn) return;
    const [connection, at, places] = [this.id, this.deps.clock.now(), this.places()];
    this.deps.writer.add({ connection, at, kind: 'closed', code, reason, by, places });
    this.isOn = false;
    this.deps.writer.leave(this.id);
  }

  /** What does not fit into the first fact follows as if it had begun then, without places, since it had not. */
  standing(): readonly ConnectionFact[] {
    const [connection, at] = [this.id, this.deps.clock.now()];
    const subscriptions: ReturnType<typeof this.wishesOf>[] = [];
    const further: ConnectionFact[] = [];
    let bytes = 0;
    for (const [, subscription] of this.client.subscriptions.entries) {
      if (!subscription.isJoined) continue;
      const wishes = this.wishesOf(subscription);
      bytes += bytesOfSubscription(wishes);
      if (bytes <= mostBytesOfFact) subscriptions.push(wishes);
      else further.push({ connection, at, kind: 'subscribed', ...wishes, place: undefined });
    }
    return [{ ...this.holderFact('standing', at), subscriptions }, ...further];
  }

  /** Field by field, as the others: every connection has a few, and in a connect storm to spread an object costs more than to make one. */
  private holderFact<K extends 'authenticated' | 'standing'>(kind: K, at: number) {
    const { identity, keyId, address, connection: mark, sdk, connectedAt } = this.client;
    return {
      connection: this.id,
      at,
      kind,
      organizationId: identity.organizationId,
      projectId: identity.projectId,
      actorTokenId: identity.actorTokenId,
      keyId,
      actorType: identity.externalType ?? identity.actorType,
      scope: identity.scope,
      narrowed: identity.capabilities === undefined ? undefined : (true as const),
      mark,
      address,
      sdk,
      connectedAt,
    };
  }

  private wishesFact<K extends 'subscribed' | 'changed'>(kind: K, subscription: LivingSubscription) {
    const { topic, place, filters, filtersLeftOut, own, group, jobs, replays } = this.wishesOf(subscription);
    const [connection, at] = [this.id, this.deps.clock.now()];
    return { connection, at, kind, topic, place, filters, filtersLeftOut, own, group, jobs, replays };
  }

  private wishesOf({ access, filters, own, group, jobs, replays }: LivingSubscription) {
    const areLong = bytesOfFilters(filters) > mostFilterBytes;
    return {
      topic: access.topic,
      place: this.placeIn(access.room),
      filters: areLong ? undefined : filters,
      filtersLeftOut: areLong ? (true as const) : undefined,
      own: own ? (true as const) : undefined,
      group,
      jobs: jobs === undefined ? undefined : (true as const),
      replays: replays ? (true as const) : undefined,
    };
  }

  private placeIn(room: string): FactPlace | undefined {
    const offset = this.deps.next(room);
    return offset === undefined ? undefined : { epoch: this.deps.epochOf(room), offset };
  }

  /** As many as there is room for. */
  private places(): Readonly<Record<string, FactPlace>> {
    const places: Record<string, FactPlace> = {};
    let bytes = 0;
    for (const [, { access, isJoined }] of this.client.subscriptions.entries) {
      if (!isJoined || places[access.room] !== undefined) continue;
      const place = this.placeIn(access.room);
      if (place === undefined) continue;
      bytes += bytesOfRoom(access.room);
      if (bytes > mostBytesOfFact) break;
      places[access.room] = place;
    }
    return places;
  }
}
