import { Connection } from './connection/connection.js';
import type { ConnectionState, Session } from './connection/state.js';
import { Emitter } from './emitter.js';
import { ConnectionError, type RoomwireError } from './errors.js';
import { readOptions, type ClientOptions } from './options.js';
import type { ErrorFrame, ServerFrame } from './protocol/frames.js';
import { refusalOf } from './protocol/refusal.js';
import { Publishes, type PublishOptions } from './publishes.js';
import type { MessageHandler, SubscribeOptions, Subscription } from './subscriptions/message.js';
import { openStream, type MessageStream, type StreamOptions } from './subscriptions/messageStream.js';
import { Subscriptions } from './subscriptions/subscriptions.js';

export interface ClientEvents {
  /** Every change of `state`. */
  state: ConnectionState;
  /**
   * What no promise could tell: a frame that cannot be read (`undecodable_frame`), a handler that failed
   * (`handler_failed`), a subscription that was refused after a reconnect, an error frame that answers no request.
   */
  error: RoomwireError;
}

/** A client, connecting already. Throws `TypeError` when the options are wrong; every other failure is a state. */
export const connect = (options: ClientOptions): Client => new Client(options);

/**
 * A connection that is made again whenever it is lost, with the subscriptions on it. Made by `connect`.
 *
 * Every promise settles: with the server's answer, after `timeouts.requestMs` on a connection, or when the client is
 * closed.
 */
export class Client {
  readonly #connection: Connection;
  readonly #emitter = new Emitter<ClientEvents>();
  readonly #subscriptions: Subscriptions;
  readonly #publishes: Publishes;

  /** @internal Use `connect`. */
  constructor(options: ClientOptions) {
    const settings = readOptions(options);
    this.#connection = new Connection(settings, {
      onState: (state) => this.#changed(state),
      onFrame: (frame) => this.#dispatch(frame),
      onError: (error) => this.#emitter.emit('error', error),
    });
    const context = {
      schedule: settings.schedule,
      requestMs: settings.timeouts.requestMs,
      ...wire(this.#connection),
    };
    this.#publishes = new Publishes(context);
    this.#subscriptions = new Subscriptions({
      ...context,
      onError: (error) => this.#emitter.emit('error', error),
    });
    this.#connection.start();
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  /**
   * Resolves when the client is connected: at once, or after as many attempts as it takes.
   * Rejects when it is closed, with the reason: an `AuthenticationError`, or a `ConnectionError`.
   */
  ready(): Promise<Session> {
    return new Promise((resolve, reject) => {
      const settle = (state: ConnectionState): void => {
        if (state.name !== 'connected' && state.name !== 'closed') return;
        stopListening();
        if (state.name === 'connected') resolve(state.session);
        else reject(state.reason);
      };
      const stopListening = this.on('state', settle);
      settle(this.state);
    });
  }

  /**
   * Resolves when the server has confirmed; the handler may be called before that. Without a connection the wish is
   * kept for the next one. The subscription is made again after every reconnect; what was published in between is lost.
   *
   * Rejects with a `RoomwireError`: `unknown_topic` (code 42940, no such room or no access), `invalid_filter_chars`,
   * `too_many_filters`, `subscription_conflict` (subscribed with other options already), `request_timeout`, or the
   * reason for which the client was closed.
   */
  async subscribe(
    topic: string,
    handler: MessageHandler,
    options: SubscribeOptions = {},
  ): Promise<Subscription> {
    this.#assertOpen();
    return this.#subscriptions.add(topic, handler, options);
  }

  /** `subscribe` for a `for await` loop; resolves and rejects in the same way. */
  async stream(topic: string, options: StreamOptions = {}): Promise<MessageStream> {
    return openStream((handler, rest) => this.subscribe(topic, handler, rest), options);
  }

  /**
   * Resolves when the server has accepted the message. `data` is anything that MessagePack can express, at most
   * 921,600 bytes of it; undefined fields are left out.
   *
   * Rejects with a `RoomwireError`. Not published: `not_connected`, `unknown_topic` (42940), `rate_limit_exceeded`
   * (42910, above 50 a second), `monthly_quota_exceeded` (42920), `message_too_large` (42930), `invalid_data`,
   * `client_closed`. Perhaps published: `connection_lost` (the connection ended before the answer),
   * `request_timeout`, `broker_unavailable` (the server had no answer from its bus). Nothing is ever sent twice.
   */
  async publish(topic: string, data: unknown, options: PublishOptions = {}): Promise<void> {
    this.#assertOpen();
    return this.#publishes.publish(topic, data, options);
  }

  /** Calls `listener` at each event; the function that it returns stops that. */
  on<Name extends keyof ClientEvents>(name: Name, listener: (event: ClientEvents[Name]) => void): () => void {
    return this.#emitter.on(name, listener);
  }

  /**
   * For good: pending promises reject with `client_closed`, publishes without an answer with `connection_lost`. Resolves when the socket is gone, at the latest after
   * `timeouts.closeMs`. May be called again.
   */
  close(): Promise<void> {
    return this.#connection.close();
  }

  #assertOpen(): void {
    const { state } = this;
    if (state.name === 'closed') throw new ConnectionError('client_closed', { cause: state.reason });
  }

  #changed(state: ConnectionState): void {
    if (state.name === 'connected') this.#subscriptions.connected(state.session.restoredSubscriptions);
    if (state.name === 'waiting' || state.name === 'closed') this.#publishes.lost(state.reason);
    if (state.name === 'waiting') this.#subscriptions.disconnected();
    if (state.name === 'closed') this.#subscriptions.close(state.reason);
    this.#emitter.emit('state', state);
  }

  #dispatch(frame: ServerFrame): void {
    switch (frame.type) {
      case 'message':
        return this.#subscriptions.deliver(frame);
      case 'published':
        return this.#publishes.published(frame.msgRef);
      case 'subscribed':
        return this.#subscriptions.subscribed(frame.topic);
      case 'unsubscribed':
        return this.#subscriptions.unsubscribed(frame.topic);
      case 'error':
        return this.#refused(frame);
      case 'auth':
        // Answered once, before any other frame; the connection has taken it.
        return;
    }
  }

  /** `msgRef` means a publish; without it the topic tells which subscribe it was. */
  #refused(frame: ErrorFrame): void {
    const error = refusalOf(frame);
    const answered =
      error.msgRef === undefined ? this.#subscriptions.refused(error) : this.#publishes.refused(error);
    if (!answered) this.#emitter.emit('error', error);
  }
}

const wire = (connection: Connection): Pick<Connection, 'send'> & { isOnline(): boolean } => ({
  send: (frame) => connection.send(frame),
  isOnline: () => connection.online,
});
