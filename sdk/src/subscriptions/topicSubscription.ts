import { nothing, type Schedule } from '../environment.js';
import { ConnectionError, RoomwireError } from '../errors.js';
import type { ClientFrame } from '../protocol/frames.js';
import { FilterUpdates, type Filters } from './filterUpdates.js';
import { Members, type Member } from './members.js';
import type { MessageHandler, SubscribeOptions } from './message.js';

export interface TopicContext {
  readonly schedule: Schedule;
  readonly requestMs: number;
  isOnline(): boolean;
  send(frame: ClientFrame): void;
  /** A subscription that had been working was refused. */
  onLost(error: RoomwireError): void;
  /** Nobody wants the topic and nothing is under way. */
  onUnused(): void;
}

type Phase = 'none' | 'subscribing' | 'held' | 'filtering' | 'unsubscribing';

/**
 * The wire subscription of one topic and those who share it.
 *
 * Replies carry the topic and nothing else, so there is never more than one request under way: what the members want
 * in the meantime is caught up with when the reply is there.
 */
export class TopicSubscription {
  readonly topic: string;
  options: SubscribeOptions;
  readonly #context: TopicContext;
  readonly #members = new Members();
  readonly #filters = new FilterUpdates();
  #phase: Phase = 'none';
  #cancelTimeout = nothing;

  constructor(topic: string, options: SubscribeOptions, context: TopicContext) {
    this.topic = topic;
    this.options = options;
    this.#context = context;
  }

  get members(): readonly Member[] {
    return this.#members.list;
  }

  holds(member: Member): boolean {
    return this.#members.has(member);
  }

  join(handler: MessageHandler): Member {
    const member = this.#members.add(handler);
    this.#advance();
    return member;
  }

  /** Resolves when the server need not, or cannot, confirm any more. */
  leave(member: Member): Promise<void> {
    if (!this.holds(member)) return Promise.resolve();
    const left = this.#members.remove(member);
    this.#advance();
    return left;
  }

  /** Resolves when the server has these, or others that were set later. */
  setFilters(filters: Filters): Promise<void> {
    this.options = { ...this.options, filters: filters ?? [] };
    const made = this.#filters.add(this.options.filters);
    this.#advance();
    return made;
  }

  filtersUpdated(): void {
    if (this.#phase !== 'filtering') return;
    this.#enter('held');
    this.#advance();
  }

  connected(): void {
    this.#advance();
  }

  disconnected(): void {
    this.#enter('none');
    this.#advance();
  }

  subscribed(): void {
    if (this.#phase !== 'subscribing') return;
    this.#enter('held');
    this.#advance();
  }

  unsubscribed(): void {
    if (this.#phase !== 'unsubscribing') return;
    this.#enter('none');
    this.#members.release();
    this.#advance();
  }

  /** An error about this topic; false when no request of ours can have caused it. */
  refused(error: RoomwireError): boolean {
    if (this.#phase === 'filtering') return this.#filtersRefused(error);
    // An unsubscribe is never refused: then it is a late answer to the subscribe before it.
    if (this.#phase !== 'subscribing') return false;
    this.#enter('none');
    this.#expel(error);
    this.#advance();
    return true;
  }

  /** The client is closed; `lost` is why those who had a working subscription lose it, if not by their own wish. */
  close(reason: RoomwireError, lost: RoomwireError | undefined): void {
    this.#enter('none');
    this.#members.expel(reason, lost);
    this.#members.release();
    this.#filters.rejectAll(reason);
  }

  /** From where the wire stands one step to where the members want it. */
  #advance(): void {
    const wanted = this.#members.any;
    const { topic } = this;
    if (this.#phase === 'held' && wanted && this.#filters.sent !== this.options.filters) this.#refilter();
    else if (this.#phase === 'held' && wanted) this.#settle();
    else if (this.#phase === 'held') this.#request('unsubscribing', { type: 'unsubscribe', topic });
    else if (this.#phase !== 'none') return;
    else if (!wanted) this.#retire();
    else if (this.#context.isOnline()) this.#request('subscribing', this.#subscribeFrame());
  }

  #subscribeFrame(): ClientFrame {
    const { qos, filters, loadBalance, loadBalanceGroup } = this.options;
    this.#filters.sent = filters;
    return { type: 'subscribe', topic: this.topic, qos, filters, loadBalance, loadBalanceGroup };
  }

  #refilter(): void {
    const { filters } = this.options;
    this.#filters.sent = filters;
    this.#request('filtering', { type: 'setFilters', topic: this.topic, filters: filters ?? [] });
  }

  #filtersRefused(error: RoomwireError): boolean {
    // The server has taken the subscription away meanwhile: the next one has the new filters from the start.
    if (error.error === 'not_subscribed') this.#enter('none');
    else this.#keepFilters(error);
    this.#advance();
    return true;
  }

  #keepFilters(error: RoomwireError): void {
    this.#enter('held');
    const isLatest = this.options.filters === this.#filters.sent;
    const filters = this.#filters.refused(error);
    if (isLatest) this.options = { ...this.options, filters };
  }

  #request(phase: 'subscribing' | 'filtering' | 'unsubscribing', frame: ClientFrame): void {
    this.#enter(phase);
    this.#limitWait();
    try {
      this.#context.send(frame);
    } catch (error) {
      // Options that cannot be encoded; on a reconnect there is no caller to throw to.
      this.refused(error as RoomwireError);
    }
  }

  #limitWait(): void {
    this.#cancelTimeout = this.#context.schedule(() => this.#timedOut(), this.#context.requestMs);
  }

  /**
   * Nobody waits any longer, but only the answer to an unsubscribe, or a new connection, tells where the wire stands:
   * the answers to a subscribe sent before could not be told from the late ones to the old subscribe.
   */
  #timedOut(): void {
    if (this.#phase === 'filtering') return this.#filteringTimedOut();
    this.#members.release();
    this.#expel(new ConnectionError('request_timeout', { topic: this.topic }));
    if (this.#phase === 'unsubscribing') return this.#limitWait();
    // The server may hold it all the same, so it is taken for held and given back.
    this.#enter('held');
    this.#advance();
  }

  /** Whatever the server has now, the next request tells it what is wanted. */
  #filteringTimedOut(): void {
    this.#filters.rejectAll(new ConnectionError('request_timeout', { topic: this.topic }));
    this.#enter('held');
    this.#advance();
  }

  #settle(): void {
    this.#filters.settle();
    this.#members.start();
    this.#members.release();
  }

  #expel(error: RoomwireError): void {
    this.#filters.rejectAll(error);
    if (this.#members.expel(error, error)) this.#context.onLost(error);
  }

  #retire(): void {
    this.#members.release();
    this.#filters.rejectAll(new RoomwireError('not_subscribed', { topic: this.topic }));
    this.#context.onUnused();
  }

  #enter(phase: Phase): void {
    this.#cancelTimeout();
    this.#phase = phase;
  }
}
