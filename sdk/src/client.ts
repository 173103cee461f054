import type { ClientEvents } from './clientEvents.js';
import type { ConnectionState } from './connection/connection.js';
import type { Session } from './connection/link.js';
import { ConnectionError } from './errors.js';
import type { HistoryOptions } from './history/histories.js';
import { readOptions, type ClientOptions } from './options.js';
import { Parts } from './parts.js';
import type { Lobby, LobbyHandler } from './presence/lobbies.js';
import type { EnterOptions, Room } from './presence/room.js';
import type { CountHandler } from './presence/rooms.js';
import type { Watch } from './presence/watches.js';
import type { Feature, Filter, LobbyContents, PresenceData, PresenceEntry } from './protocol/frames.js';
import type { Published, PublishOptions } from './publishes/publishOptions.js';
import type {
  AcknowledgeableMessage,
  Message,
  MessageHandler,
  Subscription,
} from './subscriptions/message.js';
import type { Job } from './subscriptions/jobs.js';
import type { ManualAck, SubscribeOptions, WorkerOptions } from './subscriptions/subscribeOptions.js';
import {
  openStream,
  type MessageStream,
  type StreamOptions,
  type WorkerStreamOptions,
} from './subscriptions/messageStream.js';

/** Creates a client and starts to connect. Throws `TypeError` for invalid options; every other failure shows in `client.state`. */
export const connect = (options: ClientOptions): Client => new Client(options);

/**
 * A connection that is restored, with its subscriptions, whenever it is lost. Created by `connect`.
 *
 * Every promise settles: with the server's answer, after `timeouts.requestMs` on a connection (for a publish with an id, after
 * `timeouts.publishMs` in all), or when the client is closed.
 */
export class Client {
  private readonly parts: Parts;

  /** @internal Use `connect`. */
  constructor(options: ClientOptions) {
    this.parts = new Parts(readOptions(options));
    this.parts.connection.start();
  }

  get state(): ConnectionState {
    return this.parts.connection.state;
  }

  /** The optional features of the server; empty before the first connection, afterwards those of the last one. */
  get features(): readonly Feature[] {
    return this.parts.features;
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
   * Resolves when the server has confirmed; the handler may be called before that. Without a connection the request
   * waits for the next one. The subscription is restored after every reconnect; messages published in between are lost
   * unless it has `resume`.
   *
   * Rejects with a `RoomwireError`: `unknown_topic` (code 42940, no such room or no access), `invalid_filter_chars`,
   * `too_many_filters`, `subscription_conflict` (already subscribed with other options, or with earlier messages that have already arrived),
   * `history_disabled` (42951), `unsupported_feature`, `request_timeout`, or the reason why the client was closed.
   */
  subscribe(topic: string, handler: MessageHandler<Job>, options: WorkerOptions): Promise<Subscription>;
  subscribe(
    topic: string,
    handler: MessageHandler<AcknowledgeableMessage>,
    options: SubscribeOptions & ManualAck,
  ): Promise<Subscription>;
  subscribe(topic: string, handler: MessageHandler, options?: SubscribeOptions): Promise<Subscription>;
  async subscribe(
    topic: string,
    handler: MessageHandler<Job>,
    options: SubscribeOptions = {},
  ): Promise<Subscription> {
    this.assertOpen();
    return this.parts.subscriptions.add(topic, handler as MessageHandler, options);
  }

  /**
   * Replaces the filters of a topic for all of its subscriptions, from the next message on; an empty list means every message. They
   * survive reconnects. Resolves when the server has applied them; without a connection, after the next one is established.
   *
   * Rejects with a `RoomwireError`: `not_subscribed`, `invalid_filter_chars`, `too_many_filters` (the previous filters stay),
   * `request_timeout`, or why the subscription or the client has ended.
   */
  async setFilters(topic: string, filters: readonly Filter[]): Promise<void> {
    this.assertOpen();
    return this.parts.subscriptions.setFilters(topic, filters);
  }

  /** `subscribe` for a `for await` loop; resolves and rejects in the same way. The loop settles its jobs itself. */
  stream(topic: string, options: WorkerStreamOptions): Promise<MessageStream<Job>>;
  stream(topic: string, options: StreamOptions & ManualAck): Promise<MessageStream<AcknowledgeableMessage>>;
  stream(topic: string, options?: StreamOptions): Promise<MessageStream>;
  async stream(topic: string, options: StreamOptions = {}): Promise<MessageStream<Job>> {
    this.assertOpen();
    const { subscriptions } = this.parts;
    return openStream((handler, rest) => subscriptions.add(topic, handler as MessageHandler, rest), options);
  }

  /**
   * Messages of a topic with history, including the actor's own, for a `for await` loop: newest first or, with `after`, oldest first. Pages are
   * requested as the loop needs them; leave the loop to stop.
   *
   * Rejects with a `RoomwireError`: `unknown_topic`, `history_disabled` (42951), `unsupported_feature`, `invalid_frame` (options),
   * `rate_limit_exceeded`, `broker_unavailable`, `not_connected`, `connection_lost`, `request_timeout`, `client_closed`.
   */
  async *history(topic: string, options: HistoryOptions = {}): AsyncGenerator<Message, void, undefined> {
    this.assertOpen();
    yield* this.parts.histories.read(topic, options);
  }

  /**
   * Resolves when the server has accepted the message. `data` is anything that MessagePack can express, at most
   * 921,600 bytes of it; undefined fields are left out.
   *
   * Rejects with a `RoomwireError`. Not published: `not_connected`, `unknown_topic` (42940), `rate_limit_exceeded`
   * (42910, above 50 a second), `monthly_quota_exceeded` (42920), `message_too_large` (42930), `invalid_data`,
   * `invalid_id`, `publish_conflict` (42960, another publish with this id had other data), `client_closed`. Perhaps published:
   * `connection_lost` (the connection ended before the answer), `request_timeout`, `broker_unavailable` (the server had no
   * answer from its bus).
   *
   * If the server has `idempotency`, each publish has an id, and one without an answer is resent after a reconnect, in the
   * order of the calls, until `timeouts.publishMs` after the call; the server delivers it once. Otherwise nothing is ever sent twice.
   */
  async publish(topic: string, data: unknown, options: PublishOptions = {}): Promise<Published> {
    this.assertOpen();
    return this.parts.publishes.publish(topic, data, options);
  }

  /**
   * Announces the actor in a room, with a presence that the others see. Call it again to change the presence, or to enter another room,
   * which leaves the previous ones unless `keep` is set. Resolves when it is in effect: from then on `presence` events report the others.
   * Repeated after every reconnect, with the presence that was last accepted.
   *
   * `roomId` is a room slug, or `app-slug/room-slug`; `presence` has at most 16,384 bytes as MessagePack. Rejects with
   * a `RoomwireError`: `unknown_topic` (no such room, or no access), `message_too_large`, `rate_limit_exceeded`, `subscription_limit`
   * (42970, above 50 rooms), `unsupported_feature`, `broker_unavailable`, `invalid_data`, `not_connected`, `connection_lost`,
   * `request_timeout`, `client_closed`.
   */
  async enter(roomId: string, presence: PresenceData = {}, options?: EnterOptions): Promise<void> {
    this.assertOpen();
    return this.parts.rooms.enter(roomId, presence, options);
  }

  /**
   * Leaves only this room; nothing happens if the client is not in it. Resolves when the server has confirmed, or can no longer do so.
   * Rejects with `unsupported_feature` if `client.features` lacks `rooms`, `rate_limit_exceeded`, `request_timeout` or `client_closed`.
   */
  async leave(roomId: string): Promise<void> {
    this.assertOpen();
    return this.parts.rooms.leave(roomId);
  }

  /**
   * Counts the actors in a room without entering it: at once, then at most once a second when the count changes, and again after every
   * reconnect. Resolves with the first count. For a room that the client is also in, it gets counts instead of `presence` events.
   *
   * Rejects like `enter`, and with `subscription_conflict` if the room is already being counted.
   */
  async count(roomId: string, handler: CountHandler): Promise<Watch> {
    this.assertOpen();
    return this.parts.rooms.count(roomId, handler);
  }

  /**
   * A room with a list of its members, which is kept up to date from `enter` on, across reconnects. The call sends nothing, and returns the same
   * object for the same `roomId`.
   */
  room(roomId: string): Room {
    this.assertOpen();
    return this.parts.rooms.room(roomId);
  }

  /** Who is in a room, including the client's own actor. Rejects like `enter`. */
  async presence(roomId: string): Promise<readonly PresenceEntry[]> {
    this.assertOpen();
    return this.parts.rooms.list(roomId);
  }

  /**
   * Watches a lobby: the handler gets a snapshot, then every change, and a new snapshot after every reconnect.
   * `lobbyId` is a lobby slug, or `app-slug/lobby-slug`. Rejects with a `RoomwireError`: `not_authorized` (no such
   * lobby, or no access), `lobby_too_large`, `subscription_limit`, `subscription_conflict` (already watched), and the errors
   * of `enter`.
   */
  async lobby(lobbyId: string, handler: LobbyHandler): Promise<Lobby> {
    this.assertOpen();
    return this.parts.lobbies.subscribe(lobbyId, handler);
  }

  /** Who is in the rooms of a lobby. Rejects like `lobby`. */
  async lobbyPresence(lobbyId: string): Promise<LobbyContents> {
    this.assertOpen();
    return this.parts.lobbies.list(lobbyId);
  }

  /** Calls `listener` for each event. Returns a function that removes the listener. */
  on<Name extends keyof ClientEvents>(name: Name, listener: (event: ClientEvents[Name]) => void): () => void {
    return this.parts.emitter.on(name, listener);
  }

  /**
   * Closes the client permanently: pending `ready`, `subscribe`, `stream` and `setFilters` reject with `client_closed`, every other request without
   * an answer with `connection_lost`. Resolves when the socket is closed, after `timeouts.closeMs` at the latest. May be called again.
   */
  close(): Promise<void> {
    return this.parts.connection.close();
  }

  private assertOpen(): void {
    const { state } = this;
    if (state.name === 'closed') throw new ConnectionError('client_closed', { cause: state.reason });
  }
}
