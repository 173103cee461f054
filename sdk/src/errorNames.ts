/** Names in the server's `error` frames, without the remark that some of them carry in parentheses. */
export type RefusalName =
  | 'rate_limit_exceeded'
  | 'publish_conflict'
  | 'observer_read_only'
  | 'schedule_limit_exceeded'
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
  not_connected: 'No connection now, and nothing was sent',
  connection_lost: 'The connection was lost',
  unreachable: 'The server could not be reached',
  client_closed: 'The client is closed',
  connect_timeout: 'Not connected in time',
  auth_timeout: 'No answer to `auth` in time',
  heartbeat_timeout: 'No answer to a heartbeat in time',
  request_timeout: 'No answer in time; whether the server acted is unknown',
  wrong_path: 'No Roomwire at this address (HTTP 404)',
  api_key_as_token: 'This is an API key and no token',
  malformed_token: 'The token is no whole JWT of three parts',
  token_without_kid: 'The token header has no `kid`',
  subscription_ended: 'The server has ended the subscription',
  token_unavailable: 'The token function gave no token',
  unsupported_protocol: 'The server lacks version 2 of the protocol',
  undecodable_frame: 'A frame of the server cannot be read',
  invalid_id: 'An id has 1 to 128 characters of A-Z a-z 0-9 _ . : -',
  invalid_data: 'The data cannot be encoded as MessagePack',
  subscription_conflict: 'The topic is subscribed with other options',
  unsupported_feature: 'The server, perhaps older, lacks this',
  buffer_overflow: 'Messages came too fast for the loop',
  handler_failed: 'A handler failed',
} as const;

export type ClientFailure = keyof typeof clientFailures;

/** Open at the end, because a newer server may send names that this version does not know. */
export type ErrorName = RefusalName | AuthenticationFailure | ClientFailure | (string & {});

type Texts = Readonly<Record<string, string>>;

/** Where to look, for what the names do not say and the server gives no hint for. Short: a page loads all of it. */
const help: Texts = {
  access_denied: 'See `npx roomwire explain-token`',
  token_expired: 'A token function is asked for another in time',
  actor_mismatch: 'The token is of another actor',
  not_connected: 'See `client.ready()`',
  unreachable: 'Is the address right (usually /ws), the server up, the origin of the page allowed?',
  wrong_path: 'The path is usually /ws',
  api_key_as_token: 'A client takes an access token (at_live_…) or a client token',
  token_without_kid: 'It is the `keyId` of the signing key',
  token_unavailable: 'See `cause`',
  unsupported_feature: 'See `client.features`',
};

const own = (texts: Texts, name: string): string | undefined =>
  Object.hasOwn(texts, name) ? texts[name] : undefined;

/** Undefined where the message says it all. */
export const helpFor = (name: string): string | undefined => own(help, name);

/** What the client itself found wrong; undefined for what the server says. */
export const failureText = (name: string): string | undefined => own(clientFailures, name);
