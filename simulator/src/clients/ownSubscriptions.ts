import type { StartPoint } from '@roomwire/shared/wire/protocol/startPoint';
import type { DoubtedMember, Subscribed } from '../run/history.js';
import type { JobOptions } from '../run/jobs.js';
import type { Beginning, Gap } from '../run/historyReads.js';
import type { World } from './world.js';

/** What a client asks a subscription to be. */
export interface Wish {
  readonly room: string;
  readonly topic: string;
  /** The worker group; undefined for none. */
  readonly group: string | undefined;
  /** Undefined for a group without jobs, and for none. */
  readonly jobs: JobOptions | undefined;
  /** Undefined for every message. */
  readonly filter: string | undefined;
  readonly meta: boolean;
  readonly own: boolean;
  /** Where it begins in the record; undefined for the live messages. */
  readonly start: StartPoint | undefined;
  readonly refusesGaps: boolean;
}

/** What the answer to `subscribe` says of it. */
export interface Answered {
  readonly meta?: unknown;
  readonly own?: unknown;
  readonly position?: string;
  readonly continuity?: string;
  readonly gap?: Gap;
}

interface Asked {
  readonly wish: Wish | undefined;
  readonly askedAt: number;
  /** Whether there was a subscription to the topic. */
  readonly isAgain: boolean;
}

/** What a subscription of the persistent session looks like in the answer to `auth`. */
export interface Restored {
  readonly pattern: string;
  readonly load_balance: boolean;
  readonly load_balance_group: string | null;
  readonly filters: readonly string[];
  /** [WS-JOB-13] */
  readonly jobs?: JobOptions;
  readonly meta?: true;
  readonly own?: true;
}

/** The subscriptions of one connection, as its client knows them. */
export class OwnSubscriptions {
  private readonly world: World;
  private readonly connection: number;
  private readonly actor: string;
  private readonly byTopic = new Map<string, Subscribed>();
  /** Topics whose `subscribe` or `unsubscribe` has not been answered. */
  private readonly asking = new Map<string, Asked>();
  private readonly doubted = new Map<string, DoubtedMember>();
  private readonly wereOwn = new Set<string>();
  private readonly wereMembers = new Set<string>();
  /** Topics that were refused other options: the server has the subscription as it was. */
  private readonly left = new Set<string>();
  /** Topics of which no message may come until they are asked for again. */
  private readonly ended = new Set<string>();

  constructor(world: World, connection: number, actor: string) {
    this.world = world;
    this.connection = connection;
    this.actor = actor;
  }

  of(topic: string): Subscribed | undefined {
    return this.byTopic.get(topic);
  }

  /** Whether it is known what the client gets of the topic. */
  isSettled(topic: string): boolean {
    return this.byTopic.has(topic) && !this.asking.has(topic);
  }

  /** Whether a subscription to the topic has ever asked for what its own actor publishes. */
  wasOwn(topic: string): boolean {
    return this.wereOwn.has(topic);
  }

  /** Whether a subscription to the topic has ever been one of a group with jobs. */
  wasMember(topic: string): boolean {
    return this.wereMembers.has(topic);
  }

  /** False while an answer for the topic is missing. `wish` is undefined for an `unsubscribe`. */
  ask(topic: string, wish: Wish | undefined): boolean {
    if (this.asking.has(topic)) return false;
    const former = this.byTopic.get(topic);
    const isAgain = former !== undefined || this.left.delete(topic);
    this.asking.set(topic, { wish, askedAt: this.world.time.now, isAgain });
    // What it gets from now on is another thing, and a message may be of either.
    if (former && !(wish && isSame(former, wish))) this.end(topic);
    if (wish?.own) this.wereOwn.add(topic);
    if (wish?.jobs) this.wereMembers.add(topic);
    if (wish) this.ended.delete(topic);
    return true;
  }

  subscribed(topic: string, answered: Answered): void {
    const asked = this.asking.get(topic);
    this.asking.delete(topic);
    this.trust(topic);
    if (asked?.wish === undefined) return;
    this.used(asked.wish.room, true, asked.askedAt);
    for (const [rule, name] of [
      ['WS-META-1', 'meta'],
      ['WS-OWN-1', 'own'],
    ] as const)
      if ((answered[name] === true) !== asked.wish[name])
        this.world.history.violated(
          rule,
          `connection ${this.connection} was answered ${String(answered[name])}`,
        );
    const former = this.byTopic.get(topic);
    if (former === undefined || former.until <= this.world.time.now)
      this.begin(asked.wish, this.beginningOf(asked, answered), asked.isAgain);
  }

  /** [WS-HIST-6] Whether the answer has said that there is no subscription. */
  hasEnded(topic: string): boolean {
    return this.ended.has(topic);
  }

  unsubscribed(topic: string): void {
    this.asking.delete(topic);
    this.trust(topic);
  }

  /** False where nothing was asked for the topic. */
  refused(topic: string, error: unknown): boolean {
    const asked = this.asking.get(topic);
    if (asked === undefined) return false;
    this.asking.delete(topic);
    this.end(topic);
    if (error === 'broker_unavailable' && asked.wish?.jobs) this.doubtMember(asked.wish, asked.askedAt);
    if (error === 'continuity_lost') this.ended.add(topic);
    else if (error !== 'unknown_topic' && asked.isAgain) this.left.add(topic);
    if (error === 'unknown_topic' && asked.wish) this.used(asked.wish.room, false, asked.askedAt);
    return true;
  }

  /** [WS-RESUME-2] */
  restored(all: readonly Restored[], askedAt: number): void {
    for (const { pattern, load_balance_group, filters, jobs, meta = false, own = false } of all) {
      const room = pattern.split('/')[1] ?? '';
      this.used(room, true, askedAt);
      if (own) this.wereOwn.add(pattern);
      if (jobs) this.wereMembers.add(pattern);
      const wish = { room, topic: pattern, group: load_balance_group ?? undefined, filter: filters[0] };
      this.begin({ ...wish, jobs, meta, own, start: undefined, refusesGaps: false }, undefined);
    }
  }

  /** From now on nothing has to come any more. */
  end(topic: string): void {
    const subscription = this.byTopic.get(topic);
    if (subscription) subscription.until = Math.min(subscription.until, this.world.time.now);
    this.byTopic.delete(topic);
  }

  endAll(): void {
    for (const topic of [...this.byTopic.keys()]) this.end(topic);
    for (const topic of [...this.doubted.keys()]) this.trust(topic);
  }

  /** A right has changed, or may have: the subscriptions in the room may end without a word. */
  doubt(room: string): void {
    for (const subscription of this.byTopic.values())
      if (subscription.room === room) subscription.until = Math.min(subscription.until, this.world.time.now);
  }

  /** [WS-SUB-2] The owner of the group may have it as a member, with what it has asked for. */
  private doubtMember({ topic, filter, own }: Wish, from: number): void {
    const { connection, actor } = this;
    const member = { connection, actor, topic, filter, own, from, until: Infinity };
    this.trust(topic);
    this.doubted.set(topic, member);
    this.world.history.doubtedMembers.push(member);
  }

  /** It is known again what the client gets of the topic. */
  private trust(topic: string): void {
    const member = this.doubted.get(topic);
    if (member) member.until = this.world.time.now;
    this.doubted.delete(topic);
  }

  private beginningOf({ wish, askedAt }: Asked, answered: Answered): Beginning | undefined {
    const { position, continuity, gap } = answered;
    if (position === undefined) return undefined;
    const answer = { position, continuity, gap, askedAt, answeredAt: this.world.time.now };
    return {
      ...{ ...answer, from: wish?.start, refusesGaps: wish?.refusesGaps === true },
      ...{ count: 0, isReplayed: false },
    };
  }

  private begin(
    { start: _start, refusesGaps: _refuses, ...wish }: Wish,
    beginning: Beginning | undefined,
    isAgain = false,
  ): void {
    const { time, history, rights } = this.world;
    const { connection, actor } = this;
    // The right may have been lost again while the answer was under way.
    const until = rights.of(actor, wish.room) === 'allowed' ? Infinity : time.now;
    const from = time.now;
    const subscribed = { connection, actor, ...wish, isAgain, beginning, from, until, received: [] };
    this.byTopic.set(wish.topic, subscribed);
    history.subscriptions.push(subscribed);
  }

  private used(room: string, isGranted: boolean, askedAt: number): void {
    const { time, history } = this.world;
    const { actor } = this;
    history.rightsUsed.push({ actor, room, kind: 'subscribe', isGranted, askedAt, answeredAt: time.now });
  }
}

/** Whether asking for the other changes nothing. */
const isSame = (one: Omit<Wish, 'room' | 'start' | 'refusesGaps'>, other: Wish): boolean =>
  other.start === undefined &&
  one.group === other.group &&
  JSON.stringify(one.jobs) === JSON.stringify(other.jobs) &&
  one.filter === other.filter &&
  one.meta === other.meta &&
  one.own === other.own;
