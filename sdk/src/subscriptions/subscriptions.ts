import { RoomwireError } from '../errors.js';
import type { Random, Schedule } from '../primitives.js';
import type { ClientFrame } from '../protocol/clientFrames.js';
import type {
  Feature,
  Filter,
  MessageFrame,
  ReplayFrame,
  RestoredSubscription,
  SubscribedFrame,
} from '../protocol/frames.js';
import { Delivery } from './delivery.js';
import { Jobs } from './jobs.js';
import { onHydration } from './members.js';
import { messageOf, type MessageHandler, type Subscription, type UnplacedHydration } from './message.js';
import { RequestWindow } from './requestWindow.js';
import { sameOptions, type SubscribeOptions } from './subscribeOptions.js';
import { TopicSubscription } from './topicSubscription.js';

export interface SubscriptionsContext {
  readonly schedule: Schedule;
  readonly random: Random;
  readonly requestMs: number;
  isOnline(): boolean;
  has(feature: Feature): boolean;
  send(frame: ClientFrame): void;
  onError(error: RoomwireError): void;
}

/** At its rate of 100 a second (WS-CONN-10) the server answers so many long before they time out. */
const mostUnanswered = 500;

/** A subscription with the position from which it has everything. */
export type Opened = Subscription & { readonly start: string | undefined };

/** All subscriptions of the client: active ones, and those that wait for a connection. */
export class Subscriptions {
  private readonly context: SubscriptionsContext;
  private readonly topics = new Map<string, TopicSubscription>();
  /** Given up while there was no connection to say so; the server may still have them recorded. */
  private readonly abandoned = new Set<string>();
  private readonly delivery: Delivery;
  private readonly jobs: Jobs;
  private readonly window = new RequestWindow<TopicSubscription>(mostUnanswered, (topic) =>
    topic.connected(),
  );

  constructor(context: SubscriptionsContext) {
    this.context = context;
    this.delivery = new Delivery((error) => context.onError(error));
    this.jobs = new Jobs(context);
  }

  /** Rejects with the server's refusal, `subscription_conflict`, `request_timeout` or the reason of the close. */
  async add(topic: string, handler: MessageHandler, options: SubscribeOptions): Promise<Opened> {
    const shared = this.topics.get(topic) ?? this.open(topic, options);
    if (shared.members.length === 0) shared.adopt(options);
    else if (!sameOptions(shared.options, options) || !shared.canJoin(options))
      throw new RoomwireError('subscription_conflict', { topic });
    const { cursor } = shared;
    const member = shared.join(handler, options);
    void member.ended.promise.then(() => this.jobs.left(member));
    const start = await member.started.promise;
    let left: Promise<void> | undefined;
    return {
      ...{ topic, start },
      ended: member.ended.promise,
      get position() {
        return cursor.position;
      },
      on: (_event, listener) => onHydration(member, listener),
      unsubscribe: () => (left ??= shared.leave(member)),
    };
  }

  /** Rejects with the server's refusal, `not_subscribed`, `request_timeout` or the reason of the close. */
  async setFilters(topic: string, filters: readonly Filter[]): Promise<void> {
    const shared = this.topics.get(topic);
    if (shared === undefined || shared.members.length === 0)
      throw new RoomwireError('not_subscribed', { topic });
    await shared.setFilters(filters);
  }

  connected(restored: readonly RestoredSubscription[]): void {
    for (const { pattern } of restored)
      if (this.abandoned.has(pattern)) this.context.send({ type: 'unsubscribe', topic: pattern });
    this.abandoned.clear();
    for (const topic of [...this.topics.values()]) topic.connected();
  }

  disconnected(): void {
    this.jobs.lost();
    for (const topic of [...this.topics.values()]) topic.disconnected();
  }

  subscribed(frame: SubscribedFrame): void {
    this.topics.get(frame.topic)?.subscribed(frame);
  }

  /** Of a worker group it names no topic, and concerns no subscription here. */
  replayStarted({ topic }: ReplayFrame): void {
    if (topic !== undefined) this.topics.get(topic)?.replayStarted();
  }

  replayEnded({ topic }: ReplayFrame): void {
    if (topic !== undefined) this.topics.get(topic)?.replayEnded();
  }

  /** Rights have ended it: the server has nothing of it any more. */
  ended(topic: string, reason: string): void {
    this.topics.get(topic)?.ended(new RoomwireError('subscription_ended', { topic, reason }));
  }

  /** Handed on where only one subscription can be meant. */
  hydrated(name: string, data: unknown): UnplacedHydration {
    const waiting = [...this.topics.values()].filter((one) => one.waitsForHydration(name));
    const [only, another] = waiting;
    if (only !== undefined && another === undefined) {
      only.hydrated();
      this.delivery.hydration(only, data);
    }
    return { name, topics: waiting.map(({ topic }) => topic), data };
  }

  filtersUpdated(topic: string): void {
    this.topics.get(topic)?.filtersUpdated();
  }

  unsubscribed(topic: string): void {
    this.topics.get(topic)?.unsubscribed();
  }

  /** Whether the error answers a request of ours. */
  refused(error: RoomwireError): boolean {
    return error.topic !== undefined && (this.topics.get(error.topic)?.refused(error) ?? false);
  }

  deliver(frame: MessageFrame): void {
    // No member: the last one left a moment ago, or the server restored a subscription that was not asked for here.
    const shared = this.topics.get(frame.topic);
    if (!shared?.takes(frame)) return;
    const [worker] = shared.members;
    if (worker?.options.jobs) return void this.jobs.take(shared, worker, frame);
    const done = this.delivery.message(shared, messageOf(frame));
    const { msgId } = frame;
    if (!frame.requiresAck || msgId === undefined) return;
    void done.then((isDone) => {
      if (isDone && this.context.isOnline()) this.context.send({ type: 'ack', msgId });
    });
  }

  /** Members lose a working subscription without an error when it is the caller who closed the client. */
  close(reason: RoomwireError): void {
    const lost = reason.error === 'client_closed' ? undefined : reason;
    this.jobs.lost();
    for (const topic of this.topics.values()) topic.close(reason, lost);
    this.topics.clear();
  }

  private open(topic: string, options: SubscribeOptions): TopicSubscription {
    this.abandoned.delete(topic);
    const { schedule, random, requestMs } = this.context;
    const shared: TopicSubscription = new TopicSubscription(topic, options, {
      ...{ schedule, random, requestMs },
      isOnline: () => this.context.isOnline(),
      mayAsk: () => this.window.admits(shared),
      has: (feature) => this.context.has(feature),
      send: (frame) => this.context.send(frame),
      onGap: (gap) => this.delivery.gap(shared, gap),
      onAnswered: () => this.window.release(shared),
      onLost: (error) => this.context.onError(error),
      onUnused: () => this.drop(shared),
    });
    this.topics.set(topic, shared);
    return shared;
  }

  private drop(shared: TopicSubscription): void {
    const { topic } = shared;
    // Another may have taken its place.
    if (this.topics.get(topic) !== shared) return;
    this.topics.delete(topic);
    if (this.window.withdraw(shared) || !this.context.isOnline()) this.abandoned.add(topic);
  }
}
