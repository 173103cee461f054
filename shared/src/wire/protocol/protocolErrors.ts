import { constant, count, described, object, oneOf, optional, text, type TypeOf } from '../schema.js';
import { maxDataBytes, maxFilters, maxPresenceBytes, maxPresenceListBytes } from './limits.js';

export const protocolVersion = oneOf(1, 2);
export type ProtocolVersion = TypeOf<typeof protocolVersion>;

/** The lower of the client's and the server's version; an unknown version counts as the oldest. */
export const negotiatedVersion = (asked: number): ProtocolVersion => (asked >= 2 ? 2 : 1);

interface ProtocolErrorSpec {
  readonly error: string;
  /** Protocol 2. */
  readonly code?: number;
  /** Protocol 2. */
  readonly hint?: string;
  /** Its name in protocol 1. */
  readonly errorInV1?: string;
  readonly maxSizeBytes?: number;
  /** About a presence it has the `roomId`, beside `topic`. */
  readonly namesRoom?: true;
}

/** Every error there is, of `error` frames and of publishing over HTTP. The texts are wire contract. */
export const protocolErrors = {
  notAuthenticated: { error: 'not_authenticated' },
  alreadyAuthenticated: { error: 'already_authenticated' },
  invalidFrame: { error: 'invalid_frame' },
  unknownType: { error: 'unknown_type' },
  rateLimited: { error: 'rate_limit_exceeded', code: 42910 },
  quotaExceeded: { error: 'monthly_quota_exceeded', code: 42920 },
  messageTooLarge: { error: 'message_too_large', code: 42930, maxSizeBytes: maxDataBytes },
  unknownTopic: {
    error: 'unknown_topic',
    code: 42940,
    // The same text for 'missing' and 'not allowed', so that nothing leaks.
    hint: 'Check that the app, the room and the topic of this app-slug/room-slug/topic address exist and are active, that the app slug is the stored one, and that this actor may use them.',
    errorInV1: 'not_authorized',
  },
  observerReadOnly: {
    error: 'observer_read_only',
    code: 42942,
    hint: 'An observer of the console only reads: it publishes nothing, is present nowhere and is in no worker group. Publish with an API key, at POST /v1/publish.',
    namesRoom: true,
  },
  unknownActor: {
    error: 'unknown_actor',
    code: 42940,
    hint: 'Check that `as` is the actorTokenId or the keyId of an actor of this project, and that the actor is active.',
  },
  unknownScope: {
    error: 'unknown_scope',
    code: 42940,
    hint: 'Check that `scope` is the id or the slug of an access scope of this project, and that the scope is active.',
  },
  publishConflict: {
    error: 'publish_conflict',
    code: 42960,
    hint: 'The id was given to a message with other data a short while ago: give each message an id of its own.',
  },
  scheduleLimit: {
    error: 'schedule_limit_exceeded',
    code: 42990,
    hint: 'The project has too many publishes that wait for their time, or too many bytes of them: cancel some, or wait until some are delivered.',
  },
  historyDisabled: {
    error: 'history_disabled',
    code: 42951,
    hint: 'The topic keeps no history: `topicConfigs.<topic>.history` of the app switches it on.',
  },
  continuityLost: {
    error: 'continuity_lost',
    code: 42950,
    hint: 'Messages behind that position are missing. With `onGap: "continue"` the rest is replayed, and `gap` says what is missing.',
  },
  notSubscribed: { error: 'not_subscribed' },
  presenceTooLarge: { error: 'message_too_large', code: 42930, maxSizeBytes: maxPresenceBytes },
  presenceListTooLarge: { error: 'message_too_large', code: 42930, maxSizeBytes: maxPresenceListBytes },
  notAuthorized: { error: 'not_authorized' },
  lobbyTooLarge: { error: 'lobby_too_large' },
  invalidFilterChars: { error: 'invalid_filter_chars (/, #, +, | not allowed)' },
  tooManyFilters: { error: `too_many_filters (max ${maxFilters})` },
  subscriptionLimit: { error: 'subscription_limit', code: 42970, namesRoom: true },
  memoryLimitExceeded: { error: 'memory_limit_exceeded', code: 42980 },
  brokerUnavailable: { error: 'broker_unavailable' },
} as const satisfies Record<string, ProtocolErrorSpec>;

export type ProtocolErrorName = keyof typeof protocolErrors;

const every: readonly ProtocolErrorSpec[] = Object.values(protocolErrors);
const errors = new Set(every.flatMap(({ error, errorInV1 = error }) => [error, errorInV1]));
const codes = new Set(every.flatMap(({ code }) => code ?? []));

/** Fields that are undefined do not go on the wire. */
export const errorFrame = object({
  type: constant('error'),
  error: oneOf(...errors),
  code: optional(described('Protocol 2', oneOf(...codes))),
  hint: optional(described('Protocol 2', text)),
  topic: optional(described('As the client wrote it', text)),
  lobbyId: optional(described('As the client wrote it', text)),
  roomId: optional(described('As the client wrote it', text)),
  msgRef: optional(described('Protocol 2: of the frame that was refused', text)),
  ref: optional(described('Of the `history` that was refused', text)),
  maxSizeBytes: optional(count),
});
export type ErrorFrame = TypeOf<typeof errorFrame>;

/** The fields of the offending frame that its error repeats. */
export type ProtocolErrorContext = Pick<ErrorFrame, 'topic' | 'msgRef' | 'lobbyId' | 'roomId' | 'ref'>;

/** All differences between the errors of protocols 1 and 2 are here. */
export const renderProtocolError = (
  name: ProtocolErrorName,
  version: ProtocolVersion,
  { topic, msgRef, lobbyId, roomId, ref }: ProtocolErrorContext = {},
): ErrorFrame => {
  const { error, code, hint, errorInV1, maxSizeBytes, namesRoom }: ProtocolErrorSpec = protocolErrors[name];
  const room = namesRoom === true ? roomId : undefined;
  const common = { type: 'error', topic, lobbyId, roomId: room, ref, maxSizeBytes } as const;
  return version === 1 ? { ...common, error: errorInV1 ?? error } : { ...common, error, code, hint, msgRef };
};

/** The `error` of a failed `auth`. The reason behind `access_denied` is not disclosed. */
export const authErrors = [
  'access_denied',
  'authentication_failed',
  'connection_failed',
  'token_expired',
  'connection_limit_reached',
  'broker_unavailable',
] as const;
export type AuthError = (typeof authErrors)[number];

/** The `error` of a failed `reauth`. */
export const reauthErrors = [...authErrors, 'actor_mismatch'] as const;
export type ReauthError = (typeof reauthErrors)[number];

export interface CloseSpec {
  readonly code: number;
  readonly reason: string;
}

/** Every close of a connection by the gateway. The WebSocket layer closes with 1009 for a frame beyond its bound. */
export const closes = {
  tooManyMalformedFrames: { code: 1008, reason: 'too_many_malformed_frames' },
  tooManyFailedAuths: { code: 1008, reason: 'too_many_failed_auths' },
  tooManyFramesBeforeAuth: { code: 1008, reason: 'too_many_frames_before_auth' },
  messageTimeout: { code: 1008, reason: 'message_timeout' },
  serviceRestart: { code: 1012, reason: 'service_restart' },
  slowConsumer: { code: 1013, reason: 'slow_consumer' },
  memoryLimitExceeded: { code: 1013, reason: 'memory_limit_exceeded' },
  idleTimeout: { code: 4000, reason: 'idle_timeout' },
  tokenRevoked: { code: 4001, reason: 'token_revoked' },
  tokenExpired: { code: 4001, reason: 'token_expired' },
  tokenNotFound: { code: 4001, reason: 'token_not_found' },
  projectNotFound: { code: 4001, reason: 'project_not_found' },
  scopeInactive: { code: 4001, reason: 'scope_inactive' },
  /** Closed over HTTP; its token remains valid. */
  kicked: { code: 4001, reason: 'kicked' },
  connectionLimitReached: { code: 4002, reason: 'connection_limit_reached' },
  /** Preceded by a `disconnect` frame. */
  clientTokenExpired: { code: 4003, reason: 'token_expired' },
} as const satisfies Record<string, CloseSpec>;
