import type { MetricName } from '../metrics/metricTable.js';

/**
 * What whoever reaches a limit gets: an `error` frame, the error of a failed `auth`, a close, an answer over HTTP, or
 * nothing but the effect that is described.
 */
export type LimitAnswer =
  | `error ${string}`
  | `auth ${string}`
  | `close ${number}`
  | `close ${number} ${string}`
  | `HTTP ${number}`
  | `HTTP ${number}: ${string}`
  | `none: ${string}`;

export type LimitHolder =
  | 'frame'
  | 'message'
  | 'request'
  | 'connection'
  | 'subscription'
  | 'credential'
  | 'address'
  | 'actor'
  | 'group'
  | 'room'
  | 'app'
  | 'project'
  | 'organization'
  | 'endpoint'
  | 'token'
  | 'process'
  | 'deployment';

interface LimitRow {
  /** The default, in the unit. */
  readonly value: number;
  readonly unit: 'bytes' | 'ms' | 'characters' | 'per second' | 'number' | 'levels' | 'days';
  /** Of what there is one such bound. */
  readonly per: LimitHolder;
  /** Changes it: in MiB, seconds or days where its name ends so, otherwise in the unit. */
  readonly variable?: `ROOMWIRE_${string}`;
  readonly answer: LimitAnswer;
  /** Counts how often it was reached. */
  readonly metric: MetricName;
  /** Half a sentence. */
  readonly protects: string;
}

const mebibyte = 1024 * 1024;

/**
 * Every bound of Roomwire with its default. The code takes its defaults from here, `docs/LIMITS.md` is this table, and tests
 * compare both with the errors, variables and metrics that there are.
 */
export const limitTable = {
  // Frames
  frameBytes: {
    ...{ value: mebibyte, unit: 'bytes', per: 'frame' },
    answer: 'close 1009',
    metric: 'roomwire_connections_closed_total',
    protects: 'memory and the event loop from one frame',
  },
  frameBytesBeforeAuth: {
    ...{ value: 20 * 1024, unit: 'bytes', per: 'frame' },
    answer: 'close 1009',
    metric: 'roomwire_connections_closed_total',
    protects: 'memory and the event loop from strangers, until an `auth` has arrived',
  },
  fragments: {
    ...{ value: 1_024, unit: 'number', per: 'frame' },
    answer: 'close 1008',
    metric: 'roomwire_connections_closed_total',
    protects: 'memory: each fragment has an overhead',
  },
  chunks: {
    ...{ value: 16_384, unit: 'number', per: 'frame' },
    answer: 'close 1008',
    metric: 'roomwire_connections_closed_total',
    protects: 'memory: each piece in which the network delivers a frame has an overhead',
  },
  chunksBeforeAuth: {
    ...{ value: 512, unit: 'number', per: 'frame' },
    answer: 'close 1008',
    metric: 'roomwire_connections_closed_total',
    protects: 'the same from strangers, until an `auth` has arrived',
  },
  messageMs: {
    ...{ value: 30_000, unit: 'ms', per: 'frame' },
    answer: 'close 1008 message_timeout',
    metric: 'roomwire_connections_closed_total',
    protects: 'memory from messages that are begun in fragments and never ended',
  },
  dataBytes: {
    ...{ value: 921_600, unit: 'bytes', per: 'message' },
    answer: 'error message_too_large',
    metric: 'roomwire_refusals_total',
    protects: 'the bus and every subscriber from one message',
  },
  nesting: {
    ...{ value: 64, unit: 'levels', per: 'frame' },
    answer: 'error invalid_frame',
    metric: 'roomwire_refusals_total',
    protects: 'the stack of decoders',
  },
  frameFields: {
    ...{ value: 64, unit: 'number', per: 'frame' },
    answer: 'error invalid_frame',
    metric: 'roomwire_refusals_total',
    protects: 'the event loop from fields that mean nothing',
  },
  ackIds: {
    ...{ value: 10_000, unit: 'number', per: 'frame' },
    answer: 'error invalid_frame',
    metric: 'roomwire_refusals_total',
    protects: 'the event loop from one `batchAck`',
  },
  historyMessages: {
    ...{ value: 1_000, unit: 'number', per: 'frame' },
    answer: 'error invalid_frame',
    metric: 'roomwire_refusals_total',
    protects: 'the event loop from one `history`, and from one `subscribe` with `from: { last }`',
  },
  replayMessages: {
    ...{ value: 1_000, unit: 'number', per: 'subscription' },
    answer: 'none: the newest are replayed, and `gap` says so',
    metric: 'roomwire_replay_gaps_total',
    protects: 'the gateway from one `subscribe` with `from`',
  },
  replayBytes: {
    ...{ value: 4 * mebibyte, unit: 'bytes', per: 'subscription' },
    answer: 'none: the newest are replayed, and `gap` says so',
    metric: 'roomwire_replay_gaps_total',
    protects: 'the gateway from one `subscribe` with `from`, by its `data`',
  },
  replayLookedAt: {
    ...{ value: 10_000, unit: 'number', per: 'subscription' },
    answer: 'none: what is older is not looked at, and `gap` says so',
    metric: 'roomwire_replay_gaps_total',
    protects: 'the engines from filters that few messages match',
  },
  replayMemory: {
    ...{ value: 64 * mebibyte, unit: 'bytes', per: 'process' },
    answer: 'none: what waits behind a replay is read from the record again',
    metric: 'roomwire_shared_memory_bytes',
    protects: 'the gateway from many clients that read their replays slowly',
  },
  replaysAtOnce: {
    ...{ value: 8, unit: 'number', per: 'process' },
    answer: 'none: others wait for their turn, a project after the other',
    metric: 'roomwire_history_waiting',
    protects: 'live messages and engines from thousands that come back at once',
  },
  malformedFrames: {
    ...{ value: 20, unit: 'number', per: 'connection' },
    answer: 'close 1008 too_many_malformed_frames',
    metric: 'roomwire_connections_closed_total',
    protects: 'the gateway from clients that send nonsense: within 10 s',
  },

  // Connections
  unauthenticatedSockets: {
    ...{ value: 20_000, unit: 'number', per: 'process' },
    answer: 'HTTP 503',
    metric: 'roomwire_limit_reached_total',
    protects: 'sockets and memory of the gateway from strangers, at the handshake',
  },
  unauthenticatedSocketsPerAddress: {
    ...{ value: 1_000, unit: 'number', per: 'address' },
    answer: 'HTTP 429',
    metric: 'roomwire_limit_reached_total',
    protects:
      'the sockets left for others from one address, at the handshake; an IPv6 /64 network counts as one',
  },
  authenticationMs: {
    ...{ value: 60_000, unit: 'ms', per: 'connection' },
    answer: 'close 4000 idle_timeout',
    metric: 'roomwire_connections_closed_total',
    protects: 'sockets from strangers that send anything but a good credential',
  },
  framesBeforeAuth: {
    ...{ value: 20, unit: 'number', per: 'connection' },
    answer: 'close 1008 too_many_frames_before_auth',
    metric: 'roomwire_connections_closed_total',
    protects: 'the event loop from strangers',
  },
  waitingBytes: {
    ...{ value: mebibyte, unit: 'bytes', per: 'connection' },
    answer: 'none: the socket is not read until they have been handled',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory from frames behind one that is being handled, an `auth` for example',
  },
  waitingFrames: {
    ...{ value: 32, unit: 'number', per: 'connection' },
    answer: 'none: the socket is not read until they have been handled',
    metric: 'roomwire_limit_reached_total',
    protects:
      'memory, and the turns of other connections, from frames that are sent without waiting for answers',
  },
  waitingBytesOfAll: {
    ...{ value: 64 * mebibyte, unit: 'bytes', per: 'process' },
    answer: 'none: sockets on which frames wait are not read until they have been handled',
    metric: 'roomwire_limit_reached_total',
    protects: 'the same, on many connections at once',
  },
  connectionsPerActor: {
    ...{ value: 1_000, unit: 'number', per: 'actor' },
    answer: 'auth connection_limit_reached',
    metric: 'roomwire_limit_reached_total',
    protects: 'sockets and memory of a gateway from one actor',
  },
  failedAuths: {
    ...{ value: 10, unit: 'number', per: 'connection' },
    answer: 'close 1008 too_many_failed_auths',
    metric: 'roomwire_connections_closed_total',
    protects: 'the read models from guessing on one connection',
  },
  failedAuthsPerAddress: {
    ...{ value: 5, unit: 'number', per: 'address' },
    answer: 'none: further failures are answered late',
    metric: 'roomwire_limit_reached_total',
    protects: 'credentials from guessing; forgotten 5 minutes after the last failure',
  },
  failedAuthsPerCredential: {
    ...{ value: 5, unit: 'number', per: 'credential' },
    answer: 'none: further failures are answered late',
    metric: 'roomwire_limit_reached_total',
    protects: 'the secret of one key from guessing from many addresses',
  },
  failedAuthDelayMs: {
    ...{ value: 5_000, unit: 'ms', per: 'request', variable: 'ROOMWIRE_FAILED_AUTH_DELAY_SECONDS' },
    answer: 'none: no answer is later than this',
    metric: 'roomwire_limit_reached_total',
    protects: 'sockets and memory, which a late answer holds',
  },
  delayedAnswers: {
    ...{ value: 1_000, unit: 'number', per: 'process' },
    answer: 'none: further failures are answered at once',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory from answers that wait',
  },
  countedFailures: {
    ...{ value: 10_000, unit: 'number', per: 'process' },
    answer: 'none: addresses and credentials that failed longest ago are forgotten',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory from failures of many addresses',
  },
  refusedCredentials: {
    ...{ value: 20_000, unit: 'number', per: 'process' },
    answer: 'none: those refused longest ago are checked again',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory from credentials that are remembered so that refusing them again costs no read',
  },
  idleMs: {
    ...{ value: 60_000, unit: 'ms', per: 'connection', variable: 'ROOMWIRE_IDLE_TIMEOUT_SECONDS' },
    answer: 'close 4000 idle_timeout',
    metric: 'roomwire_connections_closed_total',
    protects: 'sockets from clients that are gone',
  },
  outboxBytes: {
    ...{ value: 8 * mebibyte, unit: 'bytes', per: 'connection' },
    answer: 'close 1013 slow_consumer',
    metric: 'roomwire_slow_consumers_closed_total',
    protects: 'memory from clients that do not read',
  },
  outboxMemory: {
    ...{ value: 1024 * mebibyte, unit: 'bytes', per: 'process', variable: 'ROOMWIRE_OUTBOX_MIB' },
    answer: 'close 1013 slow_consumer',
    metric: 'roomwire_slow_consumers_closed_total',
    protects:
      'memory from many slow readers: the slowest of the project that holds the most are closed; what several wait for counts once',
  },
  fanOutMemory: {
    ...{ value: 64 * mebibyte, unit: 'bytes', per: 'process' },
    answer: 'none: all subscribers are given what waits at once, and others wait meanwhile',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory from messages of very large rooms, which wait for their turns',
  },

  // Rates
  publishRate: {
    ...{ value: 50, unit: 'per second', per: 'connection', variable: 'ROOMWIRE_PUBLISH_RATE' },
    answer: 'error rate_limit_exceeded',
    metric: 'roomwire_refusals_total',
    protects: 'the bus and subscribers from one publisher',
  },
  requestRate: {
    ...{ value: 100, unit: 'per second', per: 'connection', variable: 'ROOMWIRE_REQUEST_RATE' },
    answer: 'none: further requests wait',
    metric: 'roomwire_limit_reached_total',
    protects: 'the read models and the event loop from one client',
  },
  lobbies: {
    ...{ value: 100, unit: 'number', per: 'connection' },
    answer: 'error subscription_limit',
    metric: 'roomwire_refusals_total',
    protects: 'memory, and the event loop when somebody comes or goes in them',
  },
  lobbySearch: {
    ...{ value: 1_000, unit: 'number', per: 'request' },
    answer: 'error not_authorized',
    metric: 'roomwire_limit_reached_total',
    protects:
      'the read models and the event loop from lobbies of large apps: rooms that are looked at for one that the actor may read',
  },
  lobbyRooms: {
    ...{ value: 10_000, unit: 'number', per: 'request' },
    answer: 'error lobby_too_large',
    metric: 'roomwire_refusals_total',
    protects: 'the same, in the answer: rooms with someone present',
  },
  lobbyBytes: {
    ...{ value: 8 * mebibyte, unit: 'bytes', per: 'request' },
    answer: 'error lobby_too_large',
    metric: 'roomwire_refusals_total',
    protects: 'memory from one answer',
  },
  lobbyEvents: {
    ...{ value: 1_000, unit: 'number', per: 'app' },
    answer: 'close 1012 service_restart',
    metric: 'roomwire_connections_closed_total',
    protects:
      'memory from events of lobbies that wait for their turn, for the read models, or in one subscription for its snapshot',
  },
  presenceListBytes: {
    ...{ value: 8 * mebibyte, unit: 'bytes', per: 'request' },
    answer: 'error message_too_large',
    metric: 'roomwire_refusals_total',
    protects: 'memory and the event loop from one answer, and its reader, who would be closed as a slow one',
  },
  presenceRooms: {
    ...{ value: 50, unit: 'number', per: 'connection' },
    answer: 'error subscription_limit',
    metric: 'roomwire_refusals_total',
    protects: 'every gateway, which holds each presence, and the bus when the connection ends',
  },
  presenceCounts: {
    ...{ value: 50, unit: 'number', per: 'connection' },
    answer: 'error subscription_limit',
    metric: 'roomwire_refusals_total',
    protects: 'memory, and the event loop when somebody comes or goes in the rooms that are counted',
  },
  presenceRate: {
    ...{ value: 50, unit: 'per second', per: 'connection' },
    answer: 'error rate_limit_exceeded',
    metric: 'roomwire_refusals_total',
    protects: 'the others in a room, and the bus',
  },
  restRate: {
    ...{ value: 100, unit: 'per second', per: 'credential', variable: 'ROOMWIRE_REST_RATE' },
    answer: 'HTTP 429',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the command API from one API key or session subject',
  },
  restBurst: {
    ...{ value: 200, unit: 'number', per: 'credential', variable: 'ROOMWIRE_REST_BURST' },
    answer: 'HTTP 429',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the same, while leaving room for a burst',
  },
  httpPublishRate: {
    ...{ value: 1_000, unit: 'per second', per: 'credential', variable: 'ROOMWIRE_HTTP_PUBLISH_RATE' },
    answer: 'error rate_limit_exceeded',
    metric: 'roomwire_limit_reached_total',
    protects: 'the bus and subscribers from one API key that publishes over HTTP: messages, not requests',
  },

  // Subscriptions, presences and other memory
  filters: {
    ...{ value: 100, unit: 'number', per: 'subscription' },
    answer: 'error too_many_filters (max 100)',
    metric: 'roomwire_refusals_total',
    protects: 'the fan-out: each filter may cost a look-up a message',
  },
  filterValues: {
    ...{ value: 1_000, unit: 'number', per: 'subscription' },
    answer: 'error too_many_filters (max 100)',
    metric: 'roomwire_refusals_total',
    protects: 'the fan-out: each value may cost a look-up a message',
  },
  subscriptions: {
    ...{ value: 10_000, unit: 'number', per: 'connection' },
    answer: 'error subscription_limit',
    metric: 'roomwire_refusals_total',
    protects: 'memory, and the event loop when the connection ends',
  },
  subscriptionBytesPerConnection: {
    ...{ value: 16 * mebibyte, unit: 'bytes', per: 'connection' },
    answer: 'error memory_limit_exceeded',
    metric: 'roomwire_refusals_total',
    protects: 'memory from the subscriptions and filters of one connection',
  },
  subscriptionBytes: {
    ...{ value: 512 * mebibyte, unit: 'bytes', per: 'process', variable: 'ROOMWIRE_SUBSCRIPTION_MIB' },
    answer: 'error memory_limit_exceeded',
    metric: 'roomwire_limit_reached_total',
    protects:
      'memory from subscriptions and filters: a project gets half of it; where it is used up, connections of the project that holds the most are closed with 1013',
  },
  sdkNameLength: {
    ...{ value: 100, unit: 'characters', per: 'connection' },
    answer: 'none: it counts as not given',
    metric: 'roomwire_authentications_total',
    protects: 'the record of connections from what clients say that they are',
  },
  groupNameLength: {
    ...{ value: 255, unit: 'characters', per: 'subscription' },
    answer: 'error invalid_frame',
    metric: 'roomwire_refusals_total',
    protects: 'the replicated state of worker groups',
  },
  presenceBytes: {
    ...{ value: 16_384, unit: 'bytes', per: 'message' },
    answer: 'error message_too_large',
    metric: 'roomwire_refusals_total',
    protects: 'every gateway, which holds it while the actor is present',
  },
  presenceMemory: {
    ...{ value: 512 * mebibyte, unit: 'bytes', per: 'deployment', variable: 'ROOMWIRE_PRESENCE_MIB' },
    answer: 'error memory_limit_exceeded',
    metric: 'roomwire_limit_reached_total',
    protects:
      'every gateway, which holds all presences: a project gets half of it; where it is used up, connections of the project that holds the most are closed with 1013',
  },
  knownAddresses: {
    ...{ value: 1_000, unit: 'number', per: 'connection' },
    answer: 'none: further addresses are resolved anew',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory from the addresses that one connection uses',
  },
  addressMemory: {
    ...{ value: 128 * mebibyte, unit: 'bytes', per: 'process' },
    answer: 'none: connections of the project that holds the most resolve their addresses anew',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory from the addresses that all connections use',
  },
  cachedApps: {
    ...{ value: 10_000, unit: 'number', per: 'process' },
    answer: 'none: the one that was read longest ago is read again when it is needed',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory of a gateway from apps of which it knows the configuration',
  },
  cachedRooms: {
    ...{ value: 100_000, unit: 'number', per: 'process' },
    answer: 'none: the one that was read longest ago is read again when it is needed',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory of a gateway from rooms of which it knows the grants',
  },
  cachedSigningKeys: {
    ...{ value: 10_000, unit: 'number', per: 'process' },
    answer: 'none: the one that was read longest ago is read again when it is needed',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory of a gateway from keys of client tokens',
  },
  sessionsPerActor: {
    ...{ value: 1_000, unit: 'number', per: 'actor' },
    answer: 'none: the persistent sessions that were written least recently are forgotten',
    metric: 'roomwire_limit_reached_total',
    protects: 'the session store from an actor with ever new client ids',
  },
  sessionBytes: {
    ...{ value: 64 * mebibyte, unit: 'bytes', per: 'project' },
    answer: 'none: the persistent sessions that were written least recently are forgotten',
    metric: 'roomwire_limit_reached_total',
    protects: 'the session store from the sessions of one project',
  },
  sessionCharacters: {
    ...{ value: 2_000_000, unit: 'characters', per: 'connection' },
    answer: 'none: of very many subscriptions those are recorded that were made first',
    metric: 'roomwire_limit_reached_total',
    protects: 'the session store from one session',
  },
  retainedBytes: {
    ...{ value: 64 * mebibyte, unit: 'bytes', per: 'process', variable: 'ROOMWIRE_RETAINED_MIB' },
    answer: 'none: the project that holds the most loses those that it used least recently',
    metric: 'roomwire_retained_dropped_total',
    protects: 'memory from last values of topics',
  },
  deduplicationMs: {
    ...{ value: 600_000, unit: 'ms', per: 'deployment', variable: 'ROOMWIRE_DEDUPLICATION_SECONDS' },
    answer: 'none: the id of a publish is free again',
    metric: 'roomwire_limit_reached_total',
    protects: 'the disk from ids under which nothing is published any more',
  },
  groupMessages: {
    ...{ value: 10_000, unit: 'number', per: 'group' },
    answer: 'none: the oldest open messages are dropped',
    metric: 'roomwire_group_messages_dropped_total',
    protects: 'memory from worker groups that do not acknowledge',
  },
  groupBytes: {
    ...{ value: 64 * mebibyte, unit: 'bytes', per: 'group' },
    answer: 'none: the oldest open messages are dropped',
    metric: 'roomwire_group_messages_dropped_total',
    protects: 'memory from worker groups that do not acknowledge',
  },
  groupJobs: {
    ...{ value: 1_000_000, unit: 'number', per: 'group' },
    answer: 'none: the oldest jobs become dead letters',
    metric: 'roomwire_limit_reached_total',
    protects: 'the disk from groups whose jobs are not done',
  },
  groupJobBytes: {
    ...{ value: 1024 * mebibyte, unit: 'bytes', per: 'group' },
    answer: 'none: the oldest jobs become dead letters',
    metric: 'roomwire_limit_reached_total',
    protects: 'the disk from groups whose jobs are not done',
  },
  emptyJobGroupMs: {
    ...{ value: 86_400_000, unit: 'ms', per: 'group' },
    answer: 'none: the group, or the job of a group that was made over REST, is deleted',
    metric: 'roomwire_limit_reached_total',
    protects: 'the disk from groups that nobody comes back to',
  },
  groupMemory: {
    ...{ value: 256 * mebibyte, unit: 'bytes', per: 'process', variable: 'ROOMWIRE_GROUP_MIB' },
    answer: 'none: the largest group of the project that holds the most drops its oldest open messages',
    metric: 'roomwire_group_messages_dropped_total',
    protects: 'memory from many worker groups that do not acknowledge',
  },

  // REST
  bodyBytes: {
    ...{ value: mebibyte, unit: 'bytes', per: 'request' },
    answer: 'HTTP 413: The body is larger than 1048576 bytes',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory, the event loop and the event log from one request',
  },
  bodyFields: {
    ...{ value: 10_000, unit: 'number', per: 'request' },
    answer: 'HTTP 400: must not have more than 10000 fields in one object',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the event loop from objects that are enumerated and written out in one step',
  },
  bodyNesting: {
    ...{ value: 32, unit: 'levels', per: 'request' },
    answer: 'HTTP 400',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the stack, and documents of the read models',
  },
  publishedAtOnce: {
    ...{ value: 100, unit: 'number', per: 'request' },
    answer: 'HTTP 400',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'others from one request that publishes: messages of a batch',
  },
  scheduleAhead: {
    ...{ value: 30 * 86_400_000, unit: 'ms', per: 'message' },
    answer: 'error invalid_frame',
    metric: 'roomwire_refusals_total',
    protects: 'the store from publishes that wait for their time for too long; over HTTP 400',
  },
  scheduledMessages: {
    ...{ value: 100_000, unit: 'number', per: 'project' },
    answer: 'error schedule_limit_exceeded',
    metric: 'roomwire_refusals_total',
    protects: 'the disk, and others, from publishes that wait for their time',
  },
  scheduledBytes: {
    ...{ value: 256 * mebibyte, unit: 'bytes', per: 'project' },
    answer: 'error schedule_limit_exceeded',
    metric: 'roomwire_refusals_total',
    protects: 'the same, by the bytes of their data',
  },
  historyPage: {
    ...{ value: 1_000, unit: 'number', per: 'request' },
    answer: 'none: a larger `limit` counts as this one',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory and the engines from one page of message history',
  },
  historyAnswerBytes: {
    ...{ value: mebibyte, unit: 'bytes', per: 'request' },
    answer: 'none: `next` leads to the others',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory of the command API from large messages on a page of message history',
  },
  signInCodeMs: {
    ...{ value: 900_000, unit: 'ms', per: 'credential' },
    answer: 'HTTP 401',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'organizations from printed links that are found later',
  },
  signedInMs: {
    ...{ value: 43_200_000, unit: 'ms', per: 'credential' },
    answer: 'HTTP 401',
    metric: 'roomwire_refusals_total',
    protects: 'organizations from sessions of the console that are kept',
  },
  consoleAccessMs: {
    ...{ value: 3_600_000, unit: 'ms', per: 'credential' },
    answer: 'HTTP 401',
    metric: 'roomwire_refusals_total',
    protects: 'projects from credentials of the console that are kept',
  },
  presencePage: {
    ...{ value: 1_000, unit: 'number', per: 'request' },
    answer: 'none: a larger `limit` counts as this one',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory, gateways and the bus from one page of presences',
  },
  presencePageBytes: {
    ...{ value: mebibyte, unit: 'bytes', per: 'request' },
    answer: 'none: `next` leads to the others',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory, gateways and the bus from a page of large presences',
  },
  activityMinutes: {
    ...{ value: 360, unit: 'number', per: 'project' },
    answer: 'none: older minutes are deleted',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the disk, and the engine, from what every project does each minute',
  },
  impactShown: {
    ...{ value: 100, unit: 'number', per: 'request' },
    answer: 'none: `total` counts the others',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory and the read models from a change that would cut off very many',
  },
  impactOfGateway: {
    ...{ value: 1_000, unit: 'number', per: 'request' },
    answer: 'none: `total` counts the others',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory and the bus from a change that would cut off very many',
  },
  occupancyRooms: {
    ...{ value: 100, unit: 'number', per: 'request' },
    answer: 'HTTP 400',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'gateways from one request for the occupancy of rooms',
  },
  peekedJobs: {
    ...{ value: 100, unit: 'number', per: 'request' },
    answer: 'none: a larger `limit` counts as this one',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory and the owner of a worker group from one look at its jobs',
  },
  peekedBytes: {
    ...{ value: mebibyte, unit: 'bytes', per: 'request' },
    answer: 'none: those beyond are left out',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory and the bus from a look at large jobs',
  },

  // Sessions of an OIDC issuer
  issuedSessionMs: {
    ...{ value: 86_400_000, unit: 'ms', per: 'token' },
    answer: 'HTTP 401',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'organizations from sessions that go on long after the issuer has ended them',
  },
  issuerAnswerMs: {
    ...{ value: 5_000, unit: 'ms', per: 'request' },
    answer: 'HTTP 503',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'requests from an issuer that hangs',
  },
  issuerKeysBytes: {
    ...{ value: 262_144, unit: 'bytes', per: 'request' },
    answer: 'HTTP 503',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory from an endless answer of the issuer',
  },
  issuerPauseMs: {
    ...{ value: 10_000, unit: 'ms', per: 'process' },
    answer: 'HTTP 401',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the issuer from tokens that name keys which do not exist',
  },

  readinessMs: {
    ...{ value: 1_000, unit: 'ms', per: 'process' },
    answer: 'none: `/readyz` gives the last answer again',
    metric: 'roomwire_bus_reachable',
    protects: 'the engines from whoever asks whether the service is ready',
  },
  apiKeyAddresses: {
    ...{ value: 32, unit: 'number', per: 'credential' },
    answer: 'HTTP 400',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'every request with the key, which is compared with each of them',
  },

  pageRecords: {
    ...{ value: 100, unit: 'number', per: 'request' },
    answer: 'none: a larger `limit` counts as this one',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory and the engines from one page of apps, scopes, keys or events',
  },
  listRecords: {
    ...{ value: 1_000, unit: 'number', per: 'request' },
    answer: 'none: a larger `limit` counts as this one',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the engines from one page of actors, rooms or grants',
  },

  knownHeads: {
    ...{ value: 10_000, unit: 'number', per: 'process' },
    answer: 'none: the last events of other streams are read before something is appended',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory from the proofs of the last events of streams',
  },

  cachedStreams: {
    ...{ value: 10_000, unit: 'number', per: 'process' },
    answer: 'none: the stream that was written longest ago is read again for its next command',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory of a command API from the states that commands are decided on',
  },
  cachedStreamBytes: {
    ...{ value: 192 * mebibyte, unit: 'bytes', per: 'process' },
    answer: 'none: the same',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the same, by about what they take; the last stream that was written always stays',
  },
  snapshots: {
    ...{ value: 1_000, unit: 'number', per: 'deployment' },
    answer: 'none: the snapshot that was written longest ago is removed',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the disk from snapshots of long streams',
  },
  snapshotBytes: {
    ...{ value: 4_096 * mebibyte, unit: 'bytes', per: 'deployment' },
    answer: 'none: the same',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the same',
  },
  snapshotRetention: {
    ...{ value: 30, unit: 'days', per: 'deployment' },
    answer: 'none: the same, of snapshots that have not been renewed for so long',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the same, and the privacy of what was deleted',
  },

  // The past
  historyEvents: {
    ...{ value: 20_000, unit: 'number', per: 'request' },
    answer: 'HTTP 400',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the command API from folding long histories: `audit/state`, `audit/diff`, `explain`',
  },
  historyBytes: {
    ...{ value: 32 * mebibyte, unit: 'bytes', per: 'request' },
    answer: 'HTTP 400',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory of the command API from large histories',
  },
  pastReads: {
    ...{ value: 4, unit: 'number', per: 'process' },
    answer: 'none: further ones wait, and those of an organization that has one running',
    metric: 'roomwire_http_requests_in_flight',
    protects: 'memory of the command API from many such requests at a time',
  },
  pastReadsPerOrganization: {
    ...{ value: 20, unit: 'number', per: 'organization' },
    answer: 'HTTP 429',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory of the command API from such requests that wait, also for clients that are gone',
  },
  auditExamined: {
    ...{ value: 2_000, unit: 'number', per: 'request' },
    answer: 'none: the page ends early, and `nextCursor` goes on',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the audit index from filters that hardly anything passes',
  },
  auditExaminedBytes: {
    ...{ value: 8 * mebibyte, unit: 'bytes', per: 'request' },
    answer: 'none: the page ends early, and `nextCursor` goes on',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'memory of the command API from pages of large events',
  },

  traceExamined: {
    ...{ value: 10_000, unit: 'number', per: 'request' },
    answer: 'none: `hasMore` says that older messages were not looked at for the id',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the command API and the engines from looking for one message among very many',
  },
  traceExaminedBytes: {
    ...{ value: 64 * mebibyte, unit: 'bytes', per: 'request' },
    answer: 'none: the same',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the same, where the messages are large',
  },
  traceMessages: {
    ...{ value: 20, unit: 'number', per: 'request' },
    answer: 'none: the newest are answered, and `hasMore` says so',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the command API from an id that very many messages have',
  },
  traceActors: {
    ...{ value: 50, unit: 'number', per: 'request' },
    answer: 'none: `nextCursor` leads to the others',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the command API from telling of everybody in a large room at once',
  },
  traceConnections: {
    ...{ value: 50, unit: 'number', per: 'actor' },
    answer: 'none: the newest are looked at: `hasMoreConnections`, and where they decide `unknown`',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the command API from an actor with very many connections',
  },
  traceFacts: {
    ...{ value: 5_000, unit: 'number', per: 'connection' },
    answer: 'none: the outcome is `unknown`',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the command API from a connection that subscribes all the time',
  },
  accessLogExamined: {
    ...{ value: 2_000, unit: 'number', per: 'request' },
    answer: 'none: the page ends early, and `nextCursor` goes on',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the access log from filters that hardly anything passes',
  },
  connectionsExamined: {
    ...{ value: 2_000, unit: 'number', per: 'request' },
    answer: 'none: the page ends early, and `nextCursor` goes on',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the record of connections from filters that hardly anything passes',
  },

  // Webhooks
  webhookCalls: {
    ...{ value: 2_000, unit: 'number', per: 'process' },
    answer: 'none: further calls wait',
    metric: 'roomwire_webhook_calls_in_flight',
    protects: 'sockets and memory of the webhook consumer',
  },
  webhookCallsPerEndpoint: {
    ...{ value: 64, unit: 'number', per: 'endpoint' },
    answer: 'none: further calls wait',
    metric: 'roomwire_webhook_put_off_total',
    protects: 'other endpoints from a busy one',
  },
  webhookCallsPerSlowEndpoint: {
    ...{ value: 16, unit: 'number', per: 'endpoint' },
    answer: 'none: further calls are put off',
    metric: 'roomwire_webhook_put_off_total',
    protects: 'other endpoints from a slow one',
  },
  webhookCallsPerSlowEndpointUnderLoad: {
    ...{ value: 4, unit: 'number', per: 'endpoint' },
    answer: 'none: further calls are put off, while half of all calls are in flight',
    metric: 'roomwire_webhook_put_off_total',
    protects: 'other endpoints from many slow ones',
  },
  webhookAttemptMs: {
    ...{ value: 30_000, unit: 'ms', per: 'request' },
    answer: 'none: the attempt has failed',
    metric: 'roomwire_webhook_attempts_total',
    protects: 'the places of other calls from endpoints that do not answer',
  },
  webhookCallsPerNewEndpoint: {
    ...{ value: 2, unit: 'number', per: 'endpoint' },
    answer: 'none: further calls wait until the endpoint has answered 2xx',
    metric: 'roomwire_webhook_put_off_total',
    protects: 'whoever a webhook is pointed at without having asked for it',
  },
  webhookCallsPerProject: {
    ...{ value: 500, unit: 'number', per: 'project' },
    answer: 'none: further calls wait',
    metric: 'roomwire_webhook_put_off_total',
    protects: 'the calls of other projects from one with many endpoints',
  },
  webhookQueuedCallsPerProject: {
    ...{ value: 1_024, unit: 'number', per: 'project' },
    answer: 'none: further calls are put off',
    metric: 'roomwire_webhook_put_off_total',
    protects: 'the places of other projects’ calls in the webhook consumer',
  },
  webhookMemoryPerProject: {
    ...{ value: 32 * mebibyte, unit: 'bytes', per: 'project' },
    answer: 'none: further calls are put off',
    metric: 'roomwire_webhook_put_off_total',
    protects: 'the memory that other projects’ calls need',
  },
  webhookBacklogCalls: {
    ...{ value: 10_000, unit: 'number', per: 'project', variable: 'ROOMWIRE_WEBHOOK_BACKLOG_CALLS' },
    answer: 'none: the newest triggers become dead letters, hydrations are dropped',
    metric: 'roomwire_limit_reached_total',
    protects: 'the disk, and the backlog of other projects',
  },
  webhookBacklogBytes: {
    ...{ value: 64 * mebibyte, unit: 'bytes', per: 'project', variable: 'ROOMWIRE_WEBHOOK_BACKLOG_MIB' },
    answer: 'none: the newest triggers become dead letters, hydrations are dropped',
    metric: 'roomwire_limit_reached_total',
    protects: 'the disk, and the backlog of other projects',
  },
  webhookMemory: {
    ...{ value: 128 * mebibyte, unit: 'bytes', per: 'process' },
    answer: 'none: further calls are put off',
    metric: 'roomwire_webhook_put_off_total',
    protects: 'memory of the webhook consumer',
  },
  acceptingEndpoints: {
    ...{ value: 50_000, unit: 'number', per: 'process' },
    answer: 'none: the one that accepted a call longest ago is taken for new until its next 2xx',
    metric: 'roomwire_webhook_put_off_total',
    protects: 'memory from endpoints that are remembered for having answered 2xx',
  },
  openCircuits: {
    ...{ value: 1_000, unit: 'number', per: 'project' },
    answer: 'none: those of further endpoints are not opened',
    metric: 'roomwire_limit_reached_total',
    protects: 'the read models from a project with many endpoints that do not answer',
  },
  failingEndpoints: {
    ...{ value: 10_000, unit: 'number', per: 'process' },
    answer: 'none: the calls of the one that has failed for longest are counted anew',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory from endpoints that do not answer',
  },
  parkedMs: {
    ...{ value: 86_400_000, unit: 'ms', per: 'deployment' },
    answer: 'none: the call becomes a dead letter',
    metric: 'roomwire_webhook_dead_letters_total',
    protects: 'the disk from calls to an endpoint that is gone',
  },

  // Dead letters
  redrivenAtOnce: {
    ...{ value: 1_000, unit: 'number', per: 'request' },
    answer: 'HTTP 400',
    metric: 'roomwire_http_request_duration_seconds',
    protects: 'the event log and the webhook consumer from one redrive',
  },
  waitingRedrives: {
    ...{ value: 100, unit: 'number', per: 'process' },
    answer: 'none: further requests are answered as if the outcome were not known in time',
    metric: 'roomwire_limit_reached_total',
    protects: 'the event log, which is looked at for each request that waits for its redrive',
  },
  deadLetterCounts: {
    ...{ value: 1_000, unit: 'number', per: 'process' },
    answer: 'none: the entries of all projects are counted again',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory from projects whose entries were counted a moment ago',
  },
  roomEvents: {
    ...{ value: 10_000, unit: 'number', per: 'room' },
    answer: 'none: the oldest events that wait become dead letters',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory and disk from a room whose webhook does not take its events, in each scope',
  },
  roomEventBytes: {
    ...{ value: 16 * mebibyte, unit: 'bytes', per: 'room' },
    answer: 'none: the oldest events that wait become dead letters',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory and disk from a room whose webhook does not take its events, in each scope',
  },
  deadLetters: {
    ...{ value: 100_000, unit: 'number', per: 'project', variable: 'ROOMWIRE_DEAD_LETTERS' },
    answer: 'none: further calls that fail are not recorded',
    metric: 'roomwire_limit_reached_total',
    protects: 'the event log and the read models from a project whose webhook fails',
  },
  payloadRetention: {
    ...{ value: 14, unit: 'days', per: 'deployment', variable: 'ROOMWIRE_PAYLOAD_DAYS' },
    answer: 'none: older payloads of dead letters are deleted',
    metric: 'roomwire_limit_reached_total',
    protects: 'the disk from what nobody needs any more',
  },
  accessLogRetention: {
    ...{ value: 90, unit: 'days', per: 'organization' },
    answer: 'none: older entries are deleted',
    metric: 'roomwire_limit_reached_total',
    protects: 'the disk, and the privacy of addresses in the access log',
  },
  accessLogEntries: {
    ...{ value: 10_000, unit: 'number', per: 'organization' },
    answer: 'none: the oldest entries are deleted',
    metric: 'roomwire_limit_reached_total',
    protects: 'the disk from refusals without end',
  },
  connectionRecordRetention: {
    ...{ value: 7, unit: 'days', per: 'deployment' },
    variable: 'ROOMWIRE_CONNECTION_RECORD_DAYS',
    answer: 'none: older facts of connections are deleted',
    metric: 'roomwire_connection_facts_expired_total',
    protects: 'the disk, and the privacy of addresses in the record of connections',
  },
  connectionRecordBytes: {
    ...{ value: 512 * mebibyte, unit: 'bytes', per: 'deployment' },
    variable: 'ROOMWIRE_CONNECTION_RECORD_MIB',
    answer: 'none: on files, the oldest facts of connections are deleted',
    metric: 'roomwire_connection_facts_expired_total',
    protects: 'the disk from connections that come and go without end',
  },
  handOutFacts: {
    ...{ value: 500, unit: 'per second', per: 'process' },
    answer: 'none: further jobs are handed out without a record of it, which says of which time',
    metric: 'roomwire_connection_facts_lost_total',
    protects: 'the record of connections from worker groups with many jobs',
  },
  connectionFactsWaiting: {
    ...{ value: 16 * mebibyte, unit: 'bytes', per: 'process' },
    answer: 'none: facts of connections are not recorded, and the record says of which time',
    metric: 'roomwire_connection_facts_lost_total',
    protects: 'memory while the record of connections cannot be written',
  },
  accessLogWaiting: {
    ...{ value: 1_000, unit: 'number', per: 'process' },
    answer: 'none: further kinds of refusals are not recorded until those that wait are written',
    metric: 'roomwire_limit_reached_total',
    protects: 'memory and the engine from a flood of refused calls',
  },
  accessLogWaitingPerOrganization: {
    ...{ value: 250, unit: 'number', per: 'organization' },
    answer: 'none: further kinds of refusals are not recorded until those that wait are written',
    metric: 'roomwire_limit_reached_total',
    protects:
      'what the access log has of others, while thousands of credentials of one organization are refused',
  },
  payloadQuota: {
    ...{ value: 1024 * mebibyte, unit: 'bytes', per: 'project', variable: 'ROOMWIRE_PAYLOAD_QUOTA_MIB' },
    answer: 'none: the oldest payloads of dead letters are deleted',
    metric: 'roomwire_limit_reached_total',
    protects: 'the disk from a project whose webhook fails',
  },
} satisfies Readonly<Record<string, LimitRow>>;

export type LimitName = keyof typeof limitTable;
