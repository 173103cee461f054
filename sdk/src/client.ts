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

/** A client, connecting already. Throws `TypeError` when the options are wrong; every other failure is a state. */
export const connect = (options: ClientOptions): Client => new Client(options);

/**
 * A connection that is restored whenever it is lost, with its subscriptions. Made by `connect`.
 *
 * Every promise settles: with the server's answer, after `timeouts.requestMs` on a connection or, of a publish with an id,
 * `timeouts.publishMs` in all, or when the client is closed.
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

  /** What the server has that not every server has; empty before the first connection, and then as of the last one. */
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
   * waits for the next one. The subscription is made again after every reconnect; what was published in between is lost,
   * unless it has `resume`.
   *
   * Rejects with a `RoomwireError`: `unknown_topic` (code 42940, no such room or no access), `invalid_filter_chars`,
   * `too_many_filters`, `subscription_conflict` (subscribed with other options already, or with messages of before that have come already),
   * `history_disabled` (42951), `unsupported_feature`, `request_timeout`, or the reason for which the client was closed.
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
   * Replaces the filters of a topic for all of its subscriptions, from the next message on; none means every message. They are
   * kept over reconnects. Resolves when the server has them; without a connection that is after the next one.
   *
   * Rejects with a `RoomwireError`: `not_subscribed`, `invalid_filter_chars`, `too_many_filters` (the former filters stay),
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
    return openStream((handler, rest) => this.subscribe(topic, handler, rest as WorkerOptions), options);
  }

  /**
   * Messages of a topic with history, the own ones too, for a `for await` loop: the newest first or, with `after`, the oldest first. They are
   * asked for when the loop needs them; leaving it is all it takes to end.
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
   * `invalid_id`, `publish_conflict` (42960, its id was that of a publish with other data), `client_closed`. Perhaps published:
   * `connection_lost` (the connection ended before the answer), `request_timeout`, `broker_unavailable` (the server had no
   * answer from its bus).
   *
   * Where the server has `idempotency`, each publish has an id, and one without an answer is sent again after a reconnect, in the
   * order of the calls, until `timeouts.publishMs` after the call; the server delivers it once. Elsewhere nothing is ever sent twice.
   */
  async publish(topic: string, data: unknown, options: PublishOptions = {}): Promise<Published> {
    this.assertOpen();
    return this.parts.publishes.publish(topic, data, options);
  }

  /**
   * Says that the actor is in a room, and what it says of itself; again for another presence, or another room, which
   * leaves those before unless it has `keep`. Resolves when it is in force: from then on `presence` events tell of the others. Made
   * again after every reconnect, with what was accepted last.
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
   * Leaves one room and no other; nothing happens where the client is not there. Resolves when the server has confirmed, or cannot.
   * Rejects with `unsupported_feature`, where `client.features` lacks `rooms`, `rate_limit_exceeded`, `request_timeout` or `client_closed`.
   */
  async leave(roomId: string): Promise<void> {
    this.assertOpen();
    return this.parts.rooms.leave(roomId);
  }

  /**
   * How many actors are in a room, without entering it: at once, then at most once a second when it changes, and again after every
   * reconnect. Resolves with the first number. Of a room that it is in as well, the client gets the numbers instead of `presence` events.
   *
   * Rejects like `enter`, and with `subscription_conflict` where the room is counted already.
   */
  async count(roomId: string, handler: CountHandler): Promise<Watch> {
    this.assertOpen();
    return this.parts.rooms.count(roomId, handler);
  }

  /**
   * A room with the list of who is there, which is kept true from `enter` on, over all reconnects. Nothing is sent for it; the same one for
   * the same `roomId`.
   */
  room(roomId: string): Room {
    this.assertOpen();
    return this.parts.rooms.room(roomId);
  }

  /** Who is in a room, the own actor included. Rejects like `enter`. */
  async presence(roomId: string): Promise<readonly PresenceEntry[]> {
    this.assertOpen();
    return this.parts.rooms.list(roomId);
  }

  /**
   * Watches a lobby: the handler gets a snapshot, then all that changes, and a snapshot again after every reconnect.
   * `lobbyId` is a lobby slug, or `app-slug/lobby-slug`. Rejects with a `RoomwireError`: `not_authorized` (no such
   * lobby, or no access), `lobby_too_large`, `subscription_limit`, `subscription_conflict` (it is watched already), and what `enter`
   * rejects with.
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

  /** Calls `listener` at each event; the function that it returns stops that. */
  on<Name extends keyof ClientEvents>(name: Name, listener: (event: ClientEvents[Name]) => void): () => void {
    return this.parts.emitter.on(name, listener);
  }

  /**
   * For good: pending promises reject with `client_closed`, publishes without an answer with `connection_lost`. Resolves when the socket is gone, at the latest after
   * `timeouts.closeMs`. May be called again.
   */
  close(): Promise<void> {
    return this.parts.connection.close();
  }

  private assertOpen(): void {
    const { state } = this;
    if (state.name === 'closed') throw new ConnectionError('client_closed', { cause: state.reason });
  }
}
