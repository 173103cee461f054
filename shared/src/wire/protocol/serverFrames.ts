import { actorTypes } from '../../domain/actor.js';
import {
  anything,
  constant,
  count,
  described,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
  textOrNull,
  union,
  annotated,
  type Fields,
  type Schema,
  type TypeOf,
} from '../schema.js';
import { jobOptions } from './jobOptions.js';
import { filterEntries } from './messageOptions.js';
import { authErrors, errorFrame, protocolVersion, reauthErrors } from './protocolErrors.js';

const topic = described('As the client wrote it', text);
const lobbyId = topic;
const seconds = described('Unix seconds', integer);
const expiry = described('The `exp` of the token as it stands there, Unix seconds', number);
const presence = annotated({ description: 'What the actor announced', type: 'object' }, anything);
const event = oneOf('join', 'update', 'leave');
export type PresenceEvent = TypeOf<typeof event>;

const frame = <const T extends string, F extends Fields>(type: T, fields: F) =>
  object({ type: constant(type), ...fields });

interface ServerFrameSpec<P extends Schema<unknown>> {
  readonly summary: string;
  /** The whole frame. */
  readonly payload: P;
  /** Whether the server sends it unasked. */
  readonly isPushed?: true;
  readonly example: Readonly<Record<string, unknown>>;
}

const serverFrame = <P extends Schema<unknown>>(spec: ServerFrameSpec<P>) => spec;

const presenceEntry = object({ actorTokenId: text, presence, joinedAt: seconds });

const asked = described('Only where the client has asked for it', constant(true));

export type RestoredSubscription = TypeOf<typeof restoredSubscription>;
const restoredSubscription = object({
  pattern: topic,
  topic: described('The topic as the broker names it', text),
  load_balance: flag,
  load_balance_group: textOrNull,
  filters: filterEntries,
  meta: optional(asked),
  own: optional(asked),
  jobs: optional(described('Of a worker group with jobs', jobOptions)),
});

/** The parts beyond the contract that this server has. */
export const features = [
  ...(['meta', 'own', 'history', 'publish', 'idempotency'] as const),
  ...(['capabilities', 'notices', 'externalActors', 'rooms', 'jobs', 'webhooks', 'schedules'] as const),
] as const;

/** Why the rights to a subscription have ended. */
const endedReason = oneOf(
  ...(['grant_required', 'grant_revoked', 'grant_expired', 'room_disabled', 'room_deleted'] as const),
  ...(['app_disabled', 'app_deleted', 'topic_removed', 'address_changed', 'scope_changed'] as const),
  ...(['capability', 'group_deleted'] as const),
);
export type EndedReason = TypeOf<typeof endedReason>;

const position = described('A later one sorts behind an earlier one of the topic', text);

const historyGap = object({
  reason: oneOf('expired', 'limit', 'unknown'),
  after: optional(described('The position before what is missing, where it is known', text)),
  before: optional(described('The position behind what is missing, where it is known', text)),
});
const gap = optional(described('What is missing', historyGap));

const messageMeta = object({
  id: described('What the publisher gave it, otherwise one that the service made', text),
  at: described('When it was accepted, Unix milliseconds', integer),
  from: described('The `actorTokenId` of the publisher; null for a backend', textOrNull),
  position: optional(described('Of topics with history', position)),
});
export type MessageMeta = TypeOf<typeof messageMeta>;

const replayed = described('Of a replay from history', topic);

/** By room slug, then by actor. */
const lobbySnapshot = mapOf(mapOf(presenceEntry));

const exampleActor = '6b3978c0-b827-43f4-8fd1-7c8d9eafb0c6';
const exampleTopic = 'plant-1a2b/hall-3/temperature';
const exampleEntry = { actorTokenId: exampleActor, presence: { name: 'Ben' }, joinedAt: 1_767_225_600 };

/** Frames that the gateway encodes as a whole. */
const encodedFrames = {
  auth: serverFrame({
    summary: 'The result of authentication, and the identity',
    payload: union(
      frame('auth', {
        success: constant(true),
        actorTokenId: text,
        projectId: text,
        actorType: oneOf(...actorTypes),
        protocolVersion: protocolVersion,
        restoredSubscriptions: listOf(restoredSubscription),
        features: optional(described('Where the client has asked for them', listOf(oneOf(...features)))),
      }),
      frame('auth', { success: constant(false), error: oneOf(...authErrors) }),
    ),
    example: {
      success: true,
      actorTokenId: exampleActor,
      projectId: '1c8e2d7b-63d2-4eaf-9a8c-2d3e4f5a6b71',
      actorType: 'agent',
      protocolVersion: 2,
      restoredSubscriptions: [
        {
          pattern: exampleTopic,
          topic: 'internal',
          load_balance: false,
          load_balance_group: null,
          filters: ['alarm'],
        },
      ],
    },
  }),
  reauth: serverFrame({
    summary: 'Whether the new token is valid',
    payload: union(
      frame('reauth', { success: constant(true), authExpiresAt: optional(expiry) }),
      frame('reauth', { success: constant(false), error: oneOf(...reauthErrors) }),
    ),
    example: { success: true, authExpiresAt: 1_767_229_200 },
  }),
  disconnect: serverFrame({
    summary: 'The connection is closed after this frame, with 4003',
    payload: frame('disconnect', { reason: constant('token_expired') }),
    isPushed: true,
    example: { reason: 'token_expired' },
  }),
  tokenExpiring: serverFrame({
    summary: 'The client token expires soon: renew the connection with another one',
    payload: frame('tokenExpiring', { authExpiresAt: expiry }),
    isPushed: true,
    example: { authExpiresAt: 1_767_229_200 },
  }),
  subscriptionEnded: serverFrame({
    summary: 'The actor may not have a subscription any more: it gets no further messages',
    payload: frame('subscriptionEnded', { topic, reason: endedReason }),
    isPushed: true,
    example: { topic: exampleTopic, reason: 'grant_revoked' },
  }),
  subscribed: serverFrame({
    summary: 'Messages of the topic are delivered from now on',
    payload: frame('subscribed', {
      topic,
      loadBalance: flag,
      meta: optional(asked),
      own: optional(asked),
      position: optional(
        described('Of the newest message before the live ones; empty where there has been none', text),
      ),
      continuity: optional(
        described(
          'With `from`: whether the replay has everything behind it',
          oneOf('continuous', 'gap', 'fresh'),
        ),
      ),
      gap,
    }),
    example: { topic: exampleTopic, loadBalance: false },
  }),
  unsubscribed: serverFrame({
    summary: 'No further messages of the topic are delivered',
    payload: frame('unsubscribed', { topic }),
    example: { topic: exampleTopic },
  }),
  filtersUpdated: serverFrame({
    summary: 'The filters that are now in force',
    payload: frame('filtersUpdated', { topic, filters: filterEntries }),
    example: { topic: exampleTopic, filters: ['alarm'] },
  }),
  published: serverFrame({
    summary: 'The bus has accepted a publish that had a `msgRef`; protocol 2',
    payload: frame('published', {
      topic,
      msgRef: text,
      id: optional(described('The id of the publish, if it had one', text)),
      duplicate: optional(described('An earlier publish with this id was accepted instead', constant(true))),
      scheduledId: optional(
        described('Of a publish with `deliverAt`, which has been stored, and of a duplicate of one', text),
      ),
    }),
    example: { topic: exampleTopic, msgRef: '18' },
  }),
  replayStart: serverFrame({
    summary: 'Messages follow that a subscription asked for, or that came while a worker group had no member',
    payload: frame('replayStart', { topic: optional(replayed), count }),
    isPushed: true,
    example: { count: 2 },
  }),
  replayEnd: serverFrame({
    summary: 'All of them have been sent; messages that arrived meanwhile follow',
    payload: frame('replayEnd', { topic: optional(replayed), replayed: count }),
    isPushed: true,
    example: { replayed: 2 },
  }),
  lobbyUnsubscribed: serverFrame({
    summary: 'No further changes of the lobby are sent',
    payload: frame('lobbyUnsubscribed', { lobbyId }),
    example: { lobbyId: 'upstairs' },
  }),
  error: serverFrame({
    summary: 'A frame was refused; the connection stays open',
    payload: errorFrame,
    isPushed: true,
    example: { error: 'monthly_quota_exceeded', code: 42_920, topic: exampleTopic, msgRef: '18' },
  }),
};

/** Frames with data that is never decoded, assembled from bytes: see `encodeFrames.ts` and `presenceFrames.ts`. */
const assembledFrames = {
  message: serverFrame({
    summary: 'A message of a topic that the client has subscribed to',
    payload: frame('message', {
      topic,
      data: described('As it was published', anything),
      msgId: optional(described('Only of jobs, and where messages are recorded', text)),
      requiresAck: optional(described('As `msgId`', constant(true))),
      delivery: optional(
        described('Of a job that is handed out again: how often it was, from 2 on', integer),
      ),
      isReplay: optional(described('Only between `replayStart` and `replayEnd`', constant(true))),
      filter: optional(text),
      meta: optional(messageMeta),
    }),
    isPushed: true,
    example: { topic: exampleTopic, data: { celsius: 93 }, filter: 'alarm' },
  }),
  history: serverFrame({
    summary: 'The messages that a `history` asked for',
    payload: frame('history', {
      topic,
      ref: optional(text),
      messages: listOf(
        object({
          id: text,
          at: integer,
          from: textOrNull,
          position,
          filter: textOrNull,
          data: described('As it was published', anything),
        }),
      ),
      next: optional(described('The position to go on from; absent at the end', text)),
      gap,
    }),
    example: {
      topic: exampleTopic,
      ref: '7',
      messages: [
        {
          id: 'reading-2041',
          at: 1_767_225_600_000,
          from: exampleActor,
          position: '0mi8k2x0a-00000001c7q-p0s1t10nAb',
          filter: 'alarm',
          data: { celsius: 93 },
        },
      ],
    },
  }),
  hydration: serverFrame({
    summary: 'The answer of a topic’s hydration webhook to a subscribe',
    payload: frame('hydration', {
      topic: described('Without app and room', text),
      data: described('Any JSON', anything),
    }),
    isPushed: true,
    example: { topic: 'temperature', data: { celsius: 91 } },
  }),
  presence: serverFrame({
    summary: 'An actor joined the room, changed its presence, or left',
    payload: frame('presence', {
      event,
      roomId: optional(described('As the client wrote it, where it has entered with `keep`', text)),
      data: object({ actor_token_id: text, presence: optional(presence) }),
    }),
    isPushed: true,
    example: { event: 'join', data: { actor_token_id: exampleActor, presence: { name: 'Ben' } } },
  }),
  presenceCount: serverFrame({
    summary: 'How many actors are in a room that the client counts: at once, and when it changes',
    payload: frame('presenceCount', { roomId: topic, present: count }),
    isPushed: true,
    example: { roomId: 'kitchen', present: 2 },
  }),
  presenceList: serverFrame({
    summary: 'The actors in a room',
    payload: frame('presenceList', { roomId: optional(topic), data: listOf(presenceEntry) }),
    example: { roomId: 'kitchen', data: [exampleEntry] },
  }),
  lobbySubscribed: serverFrame({
    summary: 'The presence in the rooms of a lobby; changes follow from now on',
    payload: frame('lobbySubscribed', { lobbyId, presence: lobbySnapshot }),
    example: { lobbyId: 'upstairs', presence: { kitchen: { [exampleActor]: exampleEntry } } },
  }),
  lobbyPresenceList: serverFrame({
    summary: 'The presence in the rooms of a lobby',
    payload: frame('lobbyPresenceList', { lobbyId, presence: lobbySnapshot }),
    example: { lobbyId: 'upstairs', presence: {} },
  }),
  lobbyPresence: serverFrame({
    summary: 'An actor in a room of the lobby joined, changed its presence, or left',
    payload: frame('lobbyPresence', { event, lobbyId, roomId: text, actorId: text, data: presence }),
    isPushed: true,
    example: { event: 'leave', lobbyId: 'upstairs', roomId: 'kitchen', actorId: exampleActor, data: {} },
  }),
};

/** Every frame that the server sends: its type and its description come from here. */
export const serverFrames = { ...encodedFrames, ...assembledFrames };
export type ServerFrameType = keyof typeof serverFrames;

type EncodedFrameOf<T extends keyof typeof encodedFrames> = TypeOf<(typeof encodedFrames)[T]['payload']>;
export type AuthReply = EncodedFrameOf<'auth'>;
export type ServerFrame = {
  [T in keyof typeof encodedFrames]: EncodedFrameOf<T>;
}[keyof typeof encodedFrames];
