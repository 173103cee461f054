import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import type { Client, ClientOutbox } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import { FilterIndex } from './filterIndex.js';

/** A subscription as the fan-out sees it. */
export class Subscriber {
  readonly client: Client;
  /** Of the client, for the loop over all subscribers. */
  readonly actorTokenId: string;
  readonly outbox: ClientOutbox;
  /** Index among the subscribers without filters; set by `Audience`. */
  slot = -1;
  /** The last search that found it; set by `FilterIndex`. */
  mark = 0;
  protected rights: TopicAccess;
  protected filterEntries: readonly FilterEntry[] | undefined;
  /** The stamp of the retained value that it was sent on joining; empty for none. */
  private initialStamp = '';
  /** The newest stamp that it was sent at all. */
  private newestStamp = '';

  constructor(client: Client, rights: TopicAccess, filterEntries: readonly FilterEntry[] | undefined) {
    this.client = client;
    this.actorTokenId = client.identity.actorTokenId;
    this.outbox = client.outbox;
    this.rights = rights;
    this.filterEntries = filterEntries;
  }

  /** The rights that it rests on. Room and topic do not change while it is in an audience. */
  get access(): TopicAccess {
    return this.rights;
  }

  /** Undefined for every message. */
  get filters(): readonly FilterEntry[] | undefined {
    return this.filterEntries;
  }

  /** Whether it needs this retained message live: not if it was sent the same or a newer one as the last value. */
  needsLive(stamp: string): boolean {
    return this.initialStamp < stamp;
  }

  sentLive(stamp: string): void {
    if (stamp > this.newestStamp) this.newestStamp = stamp;
  }

  hasSeen(stamp: string): boolean {
    return this.newestStamp >= stamp;
  }

  sentAsLastValue(stamp: string): void {
    this.initialStamp = this.newestStamp = stamp;
  }
}

/** The subscribers of one topic. */
export class Audience {
  /** The stamp of the newest retained message that was delivered live. */
  retained = '';
  private readonly everything: Subscriber[] = [];
  private readonly filtered = new FilterIndex<Subscriber>();

  /** Those without filters, which get every message. Must not be changed or kept. */
  get unfiltered(): readonly Subscriber[] {
    return this.everything;
  }

  get isEmpty(): boolean {
    return this.everything.length === 0 && this.filtered.isEmpty;
  }

  /** Those with filters that match one of the values on a message, or all of an AND-group. */
  matching(onMessage: readonly string[]): readonly Subscriber[] {
    return this.filtered.matching(onMessage);
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

/** The audiences of this gateway, by internal topic. */
export class Audiences {
  private readonly byTopic = new Map<string, Audience>();

  /** Undefined for a topic without subscribers. Must not be kept. */
  of(topic: string): Audience | undefined {
    return this.byTopic.get(topic);
  }

  add(subscriber: Subscriber): void {
    const { topic } = subscriber.access;
    let audience = this.byTopic.get(topic);
    if (audience === undefined) this.byTopic.set(topic, (audience = new Audience()));
    audience.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    const { topic } = subscriber.access;
    const audience = this.byTopic.get(topic);
    audience?.remove(subscriber);
    if (audience?.isEmpty) this.byTopic.delete(topic);
  }
}
