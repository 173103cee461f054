import { requestDelay } from '../connection/reconnect.js';
import { ConnectionError, mayPass, RoomwireError } from '../errors.js';
import { nothing } from '../primitives.js';
import type { ClientFrame } from '../protocol/clientFrames.js';
import type { MessageFrame, SubscribedFrame } from '../protocol/frames.js';
import { Cursor } from './cursor.js';
import { FilterUpdates, Members, type Filters, type Member } from './members.js';
import type { MessageHandler } from './message.js';
import type { TopicContext } from './topicContext.js';
import { replaysAtFirst, sameOptions, subscribeFrame, type SubscribeOptions } from './subscribeOptions.js';

type Phase = 'none' | 'subscribing' | 'held' | 'filtering' | 'unsubscribing';

/**
 * The subscription of one topic on the server, and the callers that share it.
 *
 * Replies carry the topic and nothing else, so there is never more than one request under way: what the members want
 * in the meantime is requested after the reply.
 */
export class TopicSubscription {
  readonly topic: string;
  options: SubscribeOptions;
  cursor: Cursor;
  private readonly context: TopicContext;
  private readonly sharers = new Members();
  private readonly filters = new FilterUpdates();
  private phase: Phase = 'none';
  /** What the server has, or will have, is a subscription of members that have left. */
  private isOutdated = false;
  /** Each confirmed subscribe makes the server ask the webhook once. */
  private awaitsHydration = false;
  /** Refusals in a row that may pass. */
  private failures = 0;
  private cancelTimeout = nothing;

  constructor(topic: string, options: SubscribeOptions, context: TopicContext) {
    this.topic = topic;
    this.options = options;
    this.cursor = new Cursor(options);
    this.context = context;
  }

  get members(): readonly Member[] {
    return this.sharers.list;
  }

  readonly holds = (member: Member): boolean => this.sharers.has(member);

  /** For members that begin anew; there must be none. */
  adopt(options: SubscribeOptions): void {
    // A request under way is one for them as well.
    if (sameOptions(this.options, options) && !this.cursor.hasBegun) return;
    this.options = options;
    this.cursor = new Cursor(options);
    this.isOutdated = this.phase !== 'none' && this.phase !== 'unsubscribing';
  }

  /** Whether whoever joins with these options gets what they say. */
  canJoin(options: SubscribeOptions): boolean {
    return !(options.jobs || (this.cursor.hasBegun && replaysAtFirst(options)));
  }

  join(handler: MessageHandler, options: SubscribeOptions): Member {
    const member = this.sharers.add(handler, options);
    this.advance();
    return member;
  }

  /** Resolves when the server need not, or cannot, confirm any more. */
  leave(member: Member): Promise<void> {
    if (!this.holds(member)) return Promise.resolve();
    const left = this.sharers.remove(member);
    this.advance();
    return left;
  }

  /** Resolves when the server has these, or others that were set later. */
  setFilters(filters: Filters): Promise<void> {
    this.options = { ...this.options, filters: filters ?? [] };
    const made = this.filters.add(this.options.filters);
    this.advance();
    return made;
  }

  filtersUpdated(): void {
    if (this.phase !== 'filtering') return;
    this.enter('held');
    this.advance();
  }

  connected(): void {
    this.advance();
  }

  disconnected(): void {
    this.enter('none');
    this.advance();
  }

  subscribed(frame: SubscribedFrame): void {
    if (this.phase !== 'subscribing') return;
    this.enter('held');
    this.failures = 0;
    this.awaitsHydration = true;
    if (!this.isOutdated) this.begin(frame);
    this.advance();
  }

  /** Rights have taken it away. What is under way has an answer of its own, which shows the state on the server. */
  ended(error: RoomwireError): void {
    if (!this.isLive) return;
    if (this.phase === 'held') this.enter('none');
    // Whoever joins meanwhile gets a new one, whatever becomes of the answer.
    else this.isOutdated = true;
    this.expel(error);
    this.advance();
  }

  /** Whether a hydration of this bare name may be for this subscription. */
  waitsForHydration(name: string): boolean {
    return this.awaitsHydration && this.isLive && this.topic.slice(this.topic.lastIndexOf('/') + 1) === name;
  }

  hydrated(): void {
    this.awaitsHydration = false;
  }

  replayStarted(): void {
    if (this.isLive) this.cursor.replayStarted();
  }

  replayEnded(): void {
    if (this.isLive) this.cursor.replayEnded();
  }

  /** Whether the message is one for the members. */
  takes(frame: MessageFrame): boolean {
    if (!this.sharers.any) return false;
    // From a subscription of others, which has not ended yet; or from one that was restored, and it comes once more after the answer.
    if (this.isOutdated || this.phase === 'unsubscribing' || (this.cursor.isPlaced && !this.isLive))
      return false;
    this.cursor.delivered(frame.meta);
    return true;
  }

  unsubscribed(): void {
    if (this.phase !== 'unsubscribing') return;
    this.enter('none');
    this.sharers.release();
    this.advance();
  }

  /** An error about this topic; false when no request of ours can have caused it. */
  refused(error: RoomwireError): boolean {
    if (this.phase === 'filtering') return this.filtersRefused(error);
    // An unsubscribe is never refused: then it is a late answer to the subscribe before it.
    if (this.phase !== 'subscribing') return false;
    this.refuse(error);
    return true;
  }

  /** The client is closed; `lost` is the error for those that had a working subscription, unless they ended it themselves. */
  close(reason: RoomwireError, lost: RoomwireError | undefined): void {
    this.enter('none');
    this.sharers.expel(reason, lost);
    this.sharers.release();
    this.filters.rejectAll(reason);
  }

  private get isLive(): boolean {
    return this.phase === 'held' || this.phase === 'filtering';
  }

  /** One step from the state on the server to the state that the members want. */
  private advance(): void {
    const wanted = this.sharers.any;
    const fits = wanted && !this.isOutdated;
    const { topic } = this;
    if (this.phase === 'held' && fits && this.filters.sent !== this.options.filters) this.refilter();
    else if (this.phase === 'held' && fits) this.settle();
    else if (this.phase === 'held') this.request('unsubscribing', { type: 'unsubscribe', topic });
    else if (this.phase !== 'none') return;
    else if (!wanted) this.retire();
    else if (this.context.isOnline()) this.subscribe();
  }

  private subscribe(): void {
    const { topic } = this;
    const from = this.cursor.next;
    const { jobs, filters } = this.options;
    // An older server would pass over it, and nobody would know what is missing.
    if ((from && !this.context.has('history')) || (jobs && !this.context.has('jobs')))
      return this.refuse(new RoomwireError('unsupported_feature', { topic }));
    if (!this.context.mayAsk()) return;
    this.filters.sent = filters;
    this.isOutdated = false;
    this.cursor.request(from);
    this.request('subscribing', subscribeFrame(topic, this.options, from));
  }

  private begin(frame: SubscribedFrame): void {
    const gap = this.cursor.subscribed(frame);
    if (gap !== undefined) this.context.onGap(gap);
  }

  private refuse(error: RoomwireError): void {
    this.enter('none');
    if (this.outlasts(error)) {
      this.failures += 1;
      const delayMs = requestDelay(this.failures, this.context.random);
      this.cancelTimeout = this.context.schedule(() => this.advance(), delayMs);
      return;
    }
    this.expel(error);
    this.advance();
  }

  /** Whether the members go on, since it may pass. Those that have not started are told instead, and need not wait for that. */
  private outlasts(error: RoomwireError): boolean {
    if (!mayPass(error)) return false;
    this.sharers.dismiss(error);
    if (this.sharers.any) this.context.onLost(error);
    return this.sharers.any;
  }

  private refilter(): void {
    const { filters } = this.options;
    this.filters.sent = filters;
    this.request('filtering', { type: 'setFilters', topic: this.topic, filters: filters ?? [] });
  }

  private filtersRefused(error: RoomwireError): boolean {
    // The server has taken the subscription away meanwhile: the next one has the new filters from the start.
    if (error.error === 'not_subscribed') this.enter('none');
    else this.keepFilters(error);
    this.advance();
    return true;
  }

  private keepFilters(error: RoomwireError): void {
    this.enter('held');
    const isLatest = this.options.filters === this.filters.sent;
    const filters = this.filters.refused(error);
    if (isLatest) this.options = { ...this.options, filters };
  }

  private request(phase: 'subscribing' | 'filtering' | 'unsubscribing', frame: ClientFrame): void {
    this.enter(phase);
    this.limitWait();
    try {
      this.context.send(frame);
    } catch (error) {
      // Options that cannot be encoded; on a reconnect there is no caller to throw to.
      this.refused(error as RoomwireError);
    }
  }

  private limitWait(): void {
    this.cancelTimeout = this.context.schedule(() => this.timedOut(), this.context.requestMs);
  }

  /**
   * The callers' promises are rejected, and whoever has started goes on with another subscribe; but only the answer to an unsubscribe, or a new connection, shows the state on the server:
   * answers to a subscribe sent before that could not be told apart from late answers to the old one.
   */
  private timedOut(): void {
    if (this.phase === 'filtering') return this.filteringTimedOut();
    this.sharers.release();
    const error = new ConnectionError('request_timeout', { topic: this.topic });
    if (this.outlasts(error)) this.isOutdated = true;
    else this.expel(error);
    if (this.phase === 'unsubscribing') return this.limitWait();
    // The server may still hold the subscription, so it is unsubscribed.
    this.enter('held');
    this.advance();
  }

  /** Whatever the server has now, the next request tells it what is wanted. */
  private filteringTimedOut(): void {
    this.filters.rejectAll(new ConnectionError('request_timeout', { topic: this.topic }));
    this.enter('held');
    this.advance();
  }

  private settle(): void {
    this.filters.settle();
    this.sharers.start(this.cursor.position);
    this.sharers.release();
  }

  private expel(error: RoomwireError): void {
    this.filters.rejectAll(error);
    if (this.sharers.expel(error, error)) this.context.onLost(error);
  }

  private retire(): void {
    this.cancelTimeout();
    this.sharers.release();
    this.filters.rejectAll(new RoomwireError('not_subscribed', { topic: this.topic }));
    this.context.onUnused();
  }

  private enter(phase: Phase): void {
    this.cancelTimeout();
    this.phase = phase;
    if (phase !== 'subscribing') this.context.onAnswered();
  }
}
