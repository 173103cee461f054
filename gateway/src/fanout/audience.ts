import type { Buffer } from 'node:buffer';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { connectionOf } from '@roomwire/shared/wire/bus/messageId';
import type { Client, ClientOutbox } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import { FilterIndex } from './filterIndex.js';
import type { RetainedValue } from './retainedValues.js';

/** What a subscription asks for. */
export interface Wishes {
  /** Undefined for every message. */
  readonly filters: readonly FilterEntry[] | undefined;
  /** Who published a message, and when. */
  readonly meta: boolean;
  /** What the actor has published by other connections. */
  readonly own: boolean;
}

/** A retained message: one that was sent to the bus again has the same id and another stamp. */
type Value = Pick<RetainedValue, 'stamp' | 'id'>;

const noValue: Value = { stamp: '', id: '' };

/** Takes the messages of a subscription that waits for what was published before them. */
export interface Holding {
  /** Whether they wait for a replay, which says all that the subscription gets of before. */
  readonly isForReplay: boolean;
  take(frame: Buffer, message: Pick<LiveMessage, 'place'>): void;
}

/** The view that the fan-out has of a subscription. */
export class Subscriber {
  readonly client: Client;
  /** Of the client, for the loop over all subscribers. */
  readonly actorTokenId: string;
  readonly outbox: ClientOutbox;
  /** Index among the subscribers without filters; set by `Audience`. */
  slot = -1;
  /** Number of the last search that matched it; set by `FilterIndex`. */
  mark = 0;
  /** Undefined while its messages go to the client at once. Must not change while it is in an audience. */
  protected held: Holding | undefined;
  protected rights: TopicAccess;
  protected wishes: Wishes;
  /** The retained value sent on joining. */
  private initialValue = noValue;
  /** The newest one sent to it. */
  private newestValue = noValue;

  constructor(client: Client, rights: TopicAccess, wishes: Wishes) {
    this.client = client;
    this.actorTokenId = client.identity.actorTokenId;
    this.outbox = client.outbox;
    this.rights = rights;
    this.wishes = wishes;
  }

  /** The rights that allow it. Room and topic do not change while it is in an audience. */
  get access(): TopicAccess {
    return this.rights;
  }

  /** Undefined for every message. */
  get filters(): readonly FilterEntry[] | undefined {
    return this.wishes.filters;
  }

  get meta(): boolean {
    return this.wishes.meta;
  }

  get own(): boolean {
    return this.wishes.own;
  }

  get isHolding(): boolean {
    return this.held !== undefined;
  }

  get hasReplay(): boolean {
    return this.held?.isForReplay === true;
  }

  /** To subscribers that ask for something. */
  deliver(frame: Buffer, message: Pick<LiveMessage, 'place'>): void {
    if (this.held === undefined) this.outbox.push(frame);
    else this.held.take(frame, message);
  }

  /** [WS-PUB-2] [WS-OWN-1] Whether it gets a message live that matches its filters. */
  getsLive({ publisher, id }: Pick<LiveMessage, 'publisher' | 'id'>): boolean {
    return this.actorTokenId !== publisher || (this.own && this.client.connection !== connectionOf(id));
  }

  /** Whether to deliver this retained message live: not if the same or a newer one was already sent as the last value. */
  needsLive({ stamp, id }: Value): boolean {
    return this.initialValue.stamp < stamp && this.initialValue.id !== id;
  }

  sentLive(value: Value): void {
    if (value.stamp > this.newestValue.stamp) this.newestValue = value;
  }

  hasSeen({ stamp, id }: Value): boolean {
    return this.newestValue.stamp >= stamp || this.newestValue.id === id;
  }

  sentAsLastValue({ stamp, id }: Value): void {
    this.initialValue = this.newestValue = { stamp, id };
  }

  /** It is about to join, and has been sent none. */
  protected hasNoValue(): void {
    this.initialValue = this.newestValue = noValue;
  }
}

const none: readonly Subscriber[] = [];

/** Subscribers of one topic, by what they filter. */
export class FilteredSubscribers {
  private readonly everything: Subscriber[] = [];
  private readonly filtered = new FilterIndex<Subscriber>();

  /** Subscribers without filters, which get every message. Callers must not change or keep the array. */
  get unfiltered(): readonly Subscriber[] {
    return this.everything;
  }

  get isEmpty(): boolean {
    return this.everything.length === 0 && this.filtered.isEmpty;
  }

  /** Those with filters that match one of the values on a message, or all of an AND-group. */
  matching(onMessage: readonly string[]): readonly Subscriber[] {
    return onMessage.length === 0 ? none : this.filtered.matching(onMessage);
  }

  get all(): readonly Subscriber[] {
    return [...this.everything, ...this.filtered.all];
  }

  add(subscriber: Subscriber): void {
    if (subscriber.filters !== undefined) return this.filtered.add(subscriber);
    subscriber.slot = this.everything.length;
    this.everything.push(subscriber);
  }

  remove(subscriber: Subscriber): void {
    if (subscriber.filters !== undefined) return this.filtered.remove(subscriber);
    // The last one moves to the free slot.
    const last = this.everything.pop() as Subscriber;
    if (last !== subscriber) {
      this.everything[subscriber.slot] = last;
      last.slot = subscriber.slot;
    }
    subscriber.slot = -1;
  }
}

/** The subscribers of one topic. */
export class Audience {
  readonly projectId: string;
  private newestStamp = '';
  /** Those that ask for nothing but messages, so that what others ask for costs them nothing. */
  readonly plain = new FilteredSubscribers();
  /** Those that ask for `meta` or `own`, or wait for what was published before. */
  readonly asking = new FilteredSubscribers();

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  get isEmpty(): boolean {
    return this.plain.isEmpty && this.asking.isEmpty;
  }

  get all(): readonly Subscriber[] {
    return [...this.plain.all, ...this.asking.all];
  }

  /** The stamp of the newest retained message that has arrived live. */
  get retained(): string {
    return this.newestStamp;
  }

  passed(stamp: string): void {
    if (stamp > this.newestStamp) this.newestStamp = stamp;
  }

  add(subscriber: Subscriber): void {
    this.partOf(subscriber).add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.partOf(subscriber).remove(subscriber);
  }

  private partOf({ meta, own, isHolding }: Subscriber): FilteredSubscribers {
    return meta || own || isHolding ? this.asking : this.plain;
  }
}

/** The audiences of this gateway, by internal topic. */
export class Audiences {
  private readonly byTopic = new Map<string, Audience>();

  /** Undefined for a topic without subscribers. Callers must not keep it. */
  of(topic: string): Audience | undefined {
    return this.byTopic.get(topic);
  }

  add(subscriber: Subscriber): void {
    const { topic } = subscriber.access;
    let audience = this.byTopic.get(topic);
    if (audience === undefined) {
      audience = new Audience(subscriber.client.identity.projectId);
      this.byTopic.set(topic, audience);
    }
    audience.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    const { topic } = subscriber.access;
    const audience = this.byTopic.get(topic);
    audience?.remove(subscriber);
    if (audience?.isEmpty) this.byTopic.delete(topic);
  }
}
