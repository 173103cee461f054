/** The Roomwire client: everything that is public. */
export { connect } from './client.js';
export type { Client, ClientEvents } from './client.js';
export type { ClientOptions, Timeouts, TokenFunction, TokenRequest } from './options.js';
export type { Backoff } from './connection/backoff.js';
export type { HeartbeatTimes } from './connection/heartbeat.js';
export type { ConnectionState, Session } from './connection/state.js';
export type { Random, Schedule } from './environment.js';
export { AuthenticationError, ConnectionError, RoomwireError } from './errors.js';
export type { AuthenticationFailure, ClientFailure, ErrorName, RefusalName } from './errors.js';
export type { Filter, Qos, RestoredSubscription } from './protocol/frames.js';
export type {
  Lobby,
  LobbyContents,
  LobbyEvent,
  LobbyHandler,
  PresenceChange,
  PresenceData,
  PresenceEntry,
} from './presence/presence.js';
export type { PublishOptions } from './publishes.js';
export type { Message, MessageHandler, SubscribeOptions, Subscription } from './subscriptions/message.js';
export type { MessageStream, StreamOptions } from './subscriptions/messageStream.js';
