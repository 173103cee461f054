/** What an actor announces about itself in a room. */
export type PresenceData = Readonly<Record<string, unknown>>;

/** An actor in a room. */
export interface PresenceEntry {
  readonly actorTokenId: string;
  readonly presence: PresenceData;
  /** Unix seconds. */
  readonly joinedAt: number;
}

/** What happened in a room that this client is in. Never about its own actor. */
export type PresenceChange =
  | { readonly event: 'join' | 'update'; readonly actorTokenId: string; readonly presence: PresenceData }
  | { readonly event: 'leave'; readonly actorTokenId: string };

/** By room slug, then by `actorTokenId`. */
export type LobbyContents = Readonly<Record<string, Readonly<Record<string, PresenceEntry>>>>;

/** At most once, at least once, or two-step on the broker's internal hop. */
export type Qos = 0 | 1 | 2;

/** A value, or an AND-group: all of its values must be on the publish. */
export type Filter = string | readonly [string, string, ...string[]];

/** A subscription that the server had recorded for the actor and has restored. */
export interface RestoredSubscription {
  /** `app/room/topic` */
  readonly pattern: string;
  /** The broker's internal topic. */
  readonly topic: string;
  readonly load_balance: boolean;
  readonly load_balance_group: string | null;
  readonly filters: readonly Filter[];
  readonly meta: boolean;
  readonly own: boolean;
}

/** An optional feature of the server. The list is open, because newer servers have more. */
export type Feature =
  | 'meta'
  | 'own'
  | 'history'
  | 'publish'
  | 'idempotency'
  | 'capabilities'
  | 'externalActors'
  | 'notices'
  | 'rooms'
  | 'jobs'
  | 'webhooks'
  | 'schedules'
  | (string & {});

/** What the service, and not the publisher, says about a message. */
export interface MessageMeta {
  /** The publisher's `id` for it, otherwise one that the service has generated. */
  readonly id: string;
  /** When a gateway accepted it, in Unix milliseconds. */
  readonly at: number;
  /** `actorTokenId` of the publisher; null for a backend. */
  readonly from: string | null;
  /** The place of the message in its topic, only on topics with history: later positions sort after earlier ones as text. */
  readonly position?: string;
}

/** Where a subscription begins. */
export type StartingPoint =
  | { readonly position: string }
  /** That many of the newest messages. */
  | { readonly last: number }
  /** Unix milliseconds. */
  | { readonly since: number };

/** Messages that are missing, and the positions around them as far as they are known. */
export interface HistoryGap {
  /**
   * `expired`: older than the topic's history keeps, or deleted. `limit`: more than are replayed at once. `unknown`: the position does not belong
   * to this topic, or what followed it cannot be determined.
   */
  readonly reason: 'expired' | 'limit' | 'unknown' | (string & {});
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/** The reply to an accepted `auth` frame. */
export interface AuthAccepted {
  readonly actorTokenId: string;
  readonly projectId: string;
  readonly actorType: string;
  readonly protocolVersion: number;
  readonly restoredSubscriptions: readonly RestoredSubscription[];
  /** The optional features of the server; empty for an older one. */
  readonly features: readonly Feature[];
  /** When the token expires, in Unix seconds, if the server says so with the answer. */
  readonly authExpiresAt?: number;
}

/** The answer to a `reauth`: with an `error`, nothing has changed. */
export interface ReauthFrame {
  readonly type: 'reauth';
  readonly error: string | undefined;
  readonly authExpiresAt: number | undefined;
}

export interface TokenExpiringFrame {
  readonly type: 'tokenExpiring';
  readonly authExpiresAt: number | undefined;
}

export interface SubscriptionEndedFrame {
  readonly type: 'subscriptionEnded';
  readonly topic: string;
  readonly reason: string;
}

export interface HydrationFrame {
  readonly type: 'hydration';
  /** Without app and room. */
  readonly topic: string;
  readonly data: unknown;
}

export interface ErrorFrame {
  readonly type: 'error';
  readonly error: string;
  readonly code: number | undefined;
  readonly topic: string | undefined;
  readonly hint: string | undefined;
  readonly msgRef: string | undefined;
  readonly maxSizeBytes: number | undefined;
  readonly lobbyId: string | undefined;
  /** Of the `history` that it answers. */
  readonly ref: string | undefined;
}

export interface MessageFrame {
  readonly type: 'message';
  readonly topic: string;
  readonly data: unknown;
  readonly msgId: string | undefined;
  readonly requiresAck: boolean;
  readonly isReplay: boolean;
  readonly filter: string | undefined;
  readonly meta: MessageMeta | undefined;
  /** Of a job, from the second time on. */
  readonly delivery: number | undefined;
}

export interface SubscribedFrame {
  readonly type: 'subscribed';
  readonly topic: string;
  /** Of the newest message before the live ones, empty where there has been none; undefined on topics without history. */
  readonly position: string | undefined;
  readonly gap: HistoryGap | undefined;
}

/** Of a worker group that was away, it names no topic. */
export interface ReplayFrame {
  readonly type: 'replayStart' | 'replayEnd';
  readonly topic: string | undefined;
}

/** A message as the record has it. */
export interface KeptMessage {
  readonly data: unknown;
  readonly filter: string | undefined;
  readonly meta: MessageMeta & { readonly position: string };
}

export interface HistoryFrame {
  readonly type: 'history';
  readonly topic: string;
  readonly ref: string | undefined;
  readonly messages: readonly KeptMessage[];
  /** The position to go on from; undefined at the end. */
  readonly next: string | undefined;
  readonly gap: HistoryGap | undefined;
}

export interface PresenceListFrame {
  readonly type: 'presenceList';
  readonly roomId: string | undefined;
  readonly data: readonly PresenceEntry[];
}

export interface PresenceFrame {
  readonly type: 'presence';
  /** As the client has it; undefined where it can be one room alone. */
  readonly roomId: string | undefined;
  readonly change: PresenceChange;
}

export interface PresenceCountFrame {
  readonly type: 'presenceCount';
  readonly roomId: string;
  readonly present: number;
}

export interface PublishedFrame {
  readonly type: 'published';
  readonly msgRef: string;
  readonly duplicate: boolean;
  readonly scheduledId: string | undefined;
}

export interface LobbySnapshotFrame {
  readonly type: 'lobbySubscribed' | 'lobbyPresenceList';
  readonly lobbyId: string;
  readonly presence: LobbyContents;
}

export interface LobbyPresenceFrame {
  readonly type: 'lobbyPresence';
  readonly event: PresenceChange['event'];
  readonly lobbyId: string;
  /** The room's slug. */
  readonly roomId: string;
  readonly actorId: string;
  /** Empty for a leave. */
  readonly data: PresenceData;
}

/** The frames that this version acts on. It passes over all others. */
export type ServerFrame =
  | { readonly type: 'auth'; readonly success: true; readonly session: AuthAccepted }
  | { readonly type: 'auth'; readonly success: false; readonly error: string }
  | ReauthFrame
  | TokenExpiringFrame
  | SubscriptionEndedFrame
  | HydrationFrame
  | SubscribedFrame
  | HistoryFrame
  | (ReplayFrame & { readonly type: 'replayStart' })
  | (ReplayFrame & { readonly type: 'replayEnd' })
  | { readonly type: 'filtersUpdated'; readonly topic: string }
  | { readonly type: 'unsubscribed'; readonly topic: string }
  | PublishedFrame
  | MessageFrame
  | PresenceFrame
  | PresenceListFrame
  | PresenceCountFrame
  | (LobbySnapshotFrame & { readonly type: 'lobbySubscribed' })
  | (LobbySnapshotFrame & { readonly type: 'lobbyPresenceList' })
  | { readonly type: 'lobbyUnsubscribed'; readonly lobbyId: string }
  | LobbyPresenceFrame
  | ErrorFrame;
