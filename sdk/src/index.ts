/** The Roomwire client: everything that is public. */
export { connect } from './client.js';
export type { Client } from './client.js';
export type { ClientEvents, SubscriptionEnded, TokenExpiring } from './clientEvents.js';
export type { ClientOptions, HeartbeatTimes, Timeouts, TokenFunction, TokenRequest } from './options.js';
export type { Backoff } from './connection/reconnect.js';
export type { ConnectionState } from './connection/connection.js';
export type { Session } from './connection/link.js';
export type { Random, Schedule } from './primitives.js';
export { AuthenticationError, ConnectionError, RoomwireError } from './errors.js';
export type { AuthenticationFailure, ClientFailure, ErrorName, RefusalName } from './errorNames.js';
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
export type { EnterOptions, MemberChange, Room, RoomEvents } from './presence/room.js';
export type { CountHandler, RoomChange } from './presence/rooms.js';
export type { Watch } from './presence/watches.js';
export type { Published, PublishOptions } from './publishes/publishOptions.js';
export type {
  AcknowledgeableMessage,
  Gap,
  GapHandler,
  Hydration,
  HydrationHandler,
  Message,
  MessageHandler,
  Subscription,
  UnplacedHydration,
} from './subscriptions/message.js';
export type { HistoryOptions } from './history/histories.js';
export type { Job } from './subscriptions/jobs.js';
export type {
  JobOptions,
  ManualAck,
  SubscribeOptions,
  WorkerOptions,
} from './subscriptions/subscribeOptions.js';
export type { MessageStream, StreamOptions, WorkerStreamOptions } from './subscriptions/messageStream.js';
