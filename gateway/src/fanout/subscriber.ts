import type { Buffer } from 'node:buffer';
import type { FilterEntry } from '@roomwire/shared/wire/protocol/messageOptions';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { connectionOf } from '@roomwire/shared/wire/bus/messageId';
import type { Client, ClientOutbox } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import type { Receiver } from './line.js';
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
  /** Whether they wait for a replay, which has all earlier messages that the subscription gets. */
  readonly isForReplay: boolean;
  take(frame: Buffer, message: Pick<LiveMessage, 'place'>): void;
}

/** The view that the fan-out has of a subscription. */
export class Subscriber implements Receiver {
  readonly client: Client;
  /** Of the client, for the loop over all subscribers. */
  readonly actorTokenId: string;
  readonly outbox: ClientOutbox;
  /** Index among the subscribers without filters; set by `FilteredSubscribers`. */
  slot = -1;
  /** Number of the last search that matched it; set by `FilterIndex`. */
  mark = 0;
  lastGiven = 0;
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

  /** One of very many that get the frame. Not while it is holding. */
  deliverLater(frame: Buffer): void {
    this.outbox.pushLater(frame);
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
