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
export const clientFailures = {
  not_connected: 'Nothing was sent, because there is no connection now',
  connection_lost: 'The connection was lost',
  unreachable: 'The server could not be reached',
  client_closed: 'The client has been closed',
  connect_timeout: 'The connection was not open in time',
  auth_timeout: 'The server did not answer the authentication in time',
  heartbeat_timeout: 'The server did not answer a heartbeat in time',
  request_timeout: 'The server did not answer in time; whether it acted is not known',
  wrong_path: 'There is no Roomwire at this address: it answered HTTP 404',
  api_key_as_token: 'An API key was given as the token of a client',
  malformed_token: 'The token is not a whole JWT: three parts with dots between them',
  token_without_kid: 'The token is a JWT whose header has no `kid`',
  subscription_ended: 'The server has ended the subscription',
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

/** Where to look, for what the names do not say and the server gives no hint for. */
const help: Readonly<Record<string, string>> = {
  access_denied:
    'The server tells a client no more. Is the token whole, of this server, within its times, and its actor enabled? What was refused to a known actor is in the access log of its organization',
  token_expired: 'Give a token function instead of a text, and the client renews its token in time',
  actor_mismatch: 'The token function has given a token of another actor; a connection keeps its actor',
  connection_limit_reached: 'The plan of the organization, or the actor, has no connection left',
  rate_limit_exceeded: 'Send less at a time, and this one again a little later',
  broker_unavailable: 'The service is in trouble for now: try again',
  not_connected: 'Wait for `client.ready()`, or for the state `connected`',
  unreachable: 'Is the address right (its path is usually /ws), and the server up?',
  unreachable_page:
    'A page is not told why: look at the address (its path is usually /ws), the certificate, and whether the server allows the origin of the page',
  wrong_path: 'The path of the socket is usually /ws',
  api_key_as_token:
    'API keys (ak_live_…) are for backends. A client takes the access token of an actor (at_live_…), or a client token that your backend signs',
  malformed_token: 'Was it cut off, or is there something around it?',
  token_without_kid: 'Sign it with the `keyId` of the signing key as `kid`, and that of the actor as `sub`',
  token_unavailable: '`cause` is what the function failed with',
  unsupported_feature: '`client.features` has what the server has',
  subscription_conflict: 'Give all subscriptions of a topic the same options',
  buffer_overflow: 'Take a larger `bufferSize`, or do less in the loop',
};

/** Undefined where the message says it all. */
export const helpFor = (name: string): string | undefined =>
  Object.hasOwn(help, name) ? help[name] : undefined;
