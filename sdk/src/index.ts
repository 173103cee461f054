/** The Roomwire client: everything that is public. */
export { connect } from './client.js';
export type { Client, ClientEvents } from './client.js';
export type { ClientOptions, HeartbeatTimes, Timeouts, TokenFunction, TokenRequest } from './options.js';
export type { Backoff } from './connection/reconnect.js';
export type { ConnectionState } from './connection/connection.js';
export type { Session } from './connection/link.js';
export type { Random, Schedule } from './primitives.js';
export { AuthenticationError, ConnectionError, RoomwireError } from './errors.js';
export type { AuthenticationFailure, ClientFailure, ErrorName, RefusalName } from './errors.js';
export type {
  Feature,
  Filter,
  HistoryGap,
  LobbyContents,
  MessageMeta,
  PresenceChange,
  PresenceData,
  PresenceEntry,
  Qos,
  RestoredSubscription,
} from './protocol/frames.js';
export type { Lobby, LobbyEvent, LobbyHandler } from './presence/lobbies.js';
export type { Published, PublishOptions } from './publishes/publishOptions.js';
export type { Gap, GapHandler, Message, MessageHandler, Subscription } from './subscriptions/message.js';
export type { HistoryOptions } from './history/histories.js';
export type { SubscribeOptions } from './subscriptions/subscribeOptions.js';
export type { MessageStream, StreamOptions } from './subscriptions/messageStream.js';
