/** Names in the server's `error` frames, without the remark that some of them carry in parentheses. */
export type RefusalName =
  | 'rate_limit_exceeded'
  | 'publish_conflict'
  | 'monthly_quota_exceeded'
  | 'message_too_large'
  | 'unknown_topic'
  | 'not_authorized'
  | 'lobby_too_large'
  | 'not_subscribed'
  | 'invalid_filter_chars'
  | 'too_many_filters'
  | 'subscription_limit'
  | 'history_disabled'
  | 'memory_limit_exceeded'
  | 'not_authenticated'
  | 'already_authenticated'
  | 'invalid_frame'
  | 'unknown_type'
  | 'broker_unavailable';

/** Why the server refused the `auth` frame. */
export type AuthenticationFailure =
  | 'access_denied'
  | 'authentication_failed'
  | 'connection_failed'
  | 'token_expired'
  | 'connection_limit_reached'
  | 'broker_unavailable';

/** What the client itself finds wrong, and how it says so. */
const clientFailures = {
  not_connected: 'Nothing was sent, because there is no connection now',
  connection_lost: 'The connection was lost',
  unreachable: 'The server could not be reached',
  client_closed: 'The client has been closed',
  connect_timeout: 'The connection was not open in time',
  auth_timeout: 'The server did not answer the authentication in time',
  heartbeat_timeout: 'The server did not answer a heartbeat in time',
  request_timeout: 'The server did not answer in time; whether it acted is not known',
  token_unavailable: 'The token function failed or gave no token',
  unsupported_protocol: 'The server does not speak version 2 of the protocol',
  undecodable_frame: 'The server sent a frame that cannot be read',
  invalid_id: 'An id has 1 to 128 characters of A-Z a-z 0-9 _ . : -',
  invalid_data: 'The data cannot be encoded as MessagePack',
  subscription_conflict: 'The topic is subscribed with other options already',
  unsupported_feature: 'The server does not have what is asked for; it may be an older one',
  buffer_overflow: 'Messages came faster than the loop took them',
  handler_failed: 'A message handler failed',
} as const;

export type ClientFailure = keyof typeof clientFailures;

/** Open at the end, because a newer server may send names that this version does not know. */
export type ErrorName = RefusalName | AuthenticationFailure | ClientFailure | (string & {});

export interface ErrorDetails {
  readonly message?: string | undefined;
  readonly cause?: unknown;
  readonly code?: number | undefined;
  readonly topic?: string | undefined;
  readonly hint?: string | undefined;
  readonly msgRef?: string | undefined;
  readonly maxSizeBytes?: number | undefined;
  readonly lobbyId?: string | undefined;
}

/** Everything that the client rejects with or reports. Tell errors apart by `error`. */
export class RoomwireError extends Error {
  override readonly name: string = 'RoomwireError';
  /** Machine-readable name, for example `unknown_topic`. */
  readonly error: ErrorName;
  /** Where the protocol gives a number, for example 42940. */
  readonly code: number | undefined;
  /** `app/room/topic`, or the `roomId`, that it is about. */
  readonly topic: string | undefined;
  /** What may help, as the server says with `unknown_topic`. */
  readonly hint: string | undefined;
  /** Reference of the publish that failed. */
  readonly msgRef: string | undefined;
  /** Most bytes that `data` may have, with `message_too_large`. */
  readonly maxSizeBytes: number | undefined;
  /** Lobby that it is about. */
  readonly lobbyId: string | undefined;

  constructor(error: ErrorName, details: ErrorDetails = {}) {
    super(describe(error, details), details.cause === undefined ? undefined : { cause: details.cause });
    this.error = error;
    this.code = details.code;
    this.topic = details.topic;
    this.hint = details.hint;
    this.msgRef = details.msgRef;
    this.maxSizeBytes = details.maxSizeBytes;
    this.lobbyId = details.lobbyId;
  }
}

/** The server refused the token, or could not check it: `error` says which. */
export class AuthenticationError extends RoomwireError {
  override readonly name: string = 'AuthenticationError';
  declare readonly error: AuthenticationFailure | (string & {});
}

export interface ConnectionDetails extends ErrorDetails {
  readonly closeCode?: number | undefined;
  readonly closeReason?: string | undefined;
}

/** There is no connection, or no longer. */
export class ConnectionError extends RoomwireError {
  override readonly name: string = 'ConnectionError';
  declare readonly error: ClientFailure;
  /** Close code of the WebSocket (4001, 4002, 4003, 1012, …; 1006 without a closing handshake). */
  readonly closeCode: number | undefined;
  /** Close reason as the server gave it, for example `token_revoked`. */
  readonly closeReason: string | undefined;

  constructor(error: ClientFailure, details: ConnectionDetails = {}) {
    super(error, details);
    this.closeCode = details.closeCode;
    this.closeReason = details.closeReason;
  }
}

const describe = (error: ErrorName, { message, topic, lobbyId, hint }: ErrorDetails): string => {
  const text = message ?? (isClientFailure(error) ? clientFailures[error] : `The server answered ${error}`);
  const about = topic ?? lobbyId;
  return [about === undefined ? text : `${text} (${about})`, hint].filter(Boolean).join(': ');
};

const isClientFailure = (error: ErrorName): error is ClientFailure => Object.hasOwn(clientFailures, error);
