import { actorTypes } from '../../domain/actors/actor.js';
import { authErrors, reauthErrors } from '../protocol/authErrors.js';
import { protocolErrors } from '../protocol/protocolErrors.js';
import type { ServerFrame } from '../protocol/serverFrames.js';
import { filterEntries } from './filterSchemas.js';
import {
  constant,
  count,
  described,
  flag,
  list,
  mapOf,
  object,
  oneOf,
  text,
  textOrNull,
  type JsonSchema,
} from './jsonSchema.js';

/** The frames of `ServerFrame`, and those that carry data which is never decoded. */
export type ServerFrameType =
  | ServerFrame['type']
  | 'message'
  | 'hydration'
  | 'presence'
  | 'presenceList'
  | 'lobbySubscribed'
  | 'lobbyPresenceList'
  | 'lobbyPresence';

export interface ServerMessage {
  readonly summary: string;
  /** The whole frame. */
  readonly payload: JsonSchema;
  /** Whether it comes without being asked for. */
  readonly isPushed?: true;
  readonly example: Readonly<Record<string, unknown>>;
}

const topic = described('As the client wrote it', text);
const lobbyId = topic;
const seconds = described('Unix seconds', { type: 'integer' });
const expiry = described('The `exp` of the token as it stands there, Unix seconds', { type: 'number' });
const presence = described('What the actor announced', { type: 'object' });
const event = oneOf('join', 'update', 'leave');

/** `one` stands in the type as a constant; what failed has its own shape. */
const frame = (
  type: ServerFrameType,
  fields: Parameters<typeof object>[0] = {},
  optional?: readonly string[],
) => object({ type: constant(type), ...fields }, optional);

const success = (is: boolean) => ({ success: constant(is) });

const presenceEntry = object({ actorTokenId: text, presence, joinedAt: seconds });

const restoredSubscription = object({
  pattern: topic,
  topic: described('The topic as the broker names it', text),
  load_balance: flag,
  load_balance_group: textOrNull,
  filters: filterEntries,
});

/** By room slug, then by actor. */
const lobbySnapshot = mapOf(mapOf(presenceEntry));

const every = Object.values(protocolErrors) as readonly {
  error: string;
  errorInV1?: string;
  code?: number;
}[];
const errors = new Set(every.flatMap(({ error, errorInV1 = error }) => [error, errorInV1]));
const codes = new Set(every.flatMap(({ code }) => code ?? []));

const exampleActor = '6b3978c0-b827-43f4-8fd1-7c8d9eafb0c6';
const exampleTopic = 'plant-1a2b/hall-3/temperature';
const exampleEntry = { actorTokenId: exampleActor, presence: { name: 'Ben' }, joinedAt: 1_767_225_600 };

/** Whatever the server sends. A test holds every frame of the gateway's other tests against it. */
export const serverMessages: { readonly [T in ServerFrameType]: ServerMessage } = {
  auth: {
    summary: 'Whether the client is who it says, and as whom it is known',
    payload: {
      oneOf: [
        frame('auth', {
          ...success(true),
          actorTokenId: text,
          projectId: text,
          actorType: oneOf(...actorTypes),
          protocolVersion: oneOf(1, 2),
          restoredSubscriptions: list(restoredSubscription),
        }),
        frame('auth', { ...success(false), error: oneOf(...authErrors) }),
      ],
    },
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
  },
  reauth: {
    summary: 'Whether the new token is good',
    payload: {
      oneOf: [
        frame('reauth', { ...success(true), authExpiresAt: expiry }, ['authExpiresAt']),
        frame('reauth', { ...success(false), error: oneOf(...reauthErrors) }),
      ],
    },
    example: { success: true, authExpiresAt: 1_767_229_200 },
  },
  disconnect: {
    summary: 'The connection is closed right behind this frame, with 4003',
    payload: frame('disconnect', { reason: constant('token_expired') }),
    isPushed: true,
    example: { reason: 'token_expired' },
  },
  subscribed: {
    summary: 'Messages of the topic come from now on',
    payload: frame('subscribed', { topic, loadBalance: flag }),
    example: { topic: exampleTopic, loadBalance: false },
  },
  unsubscribed: {
    summary: 'No message of the topic comes any more',
    payload: frame('unsubscribed', { topic }),
    example: { topic: exampleTopic },
  },
  filtersUpdated: {
    summary: 'The filters that are now in force',
    payload: frame('filtersUpdated', { topic, filters: filterEntries }),
    example: { topic: exampleTopic, filters: ['alarm'] },
  },
  published: {
    summary: 'The bus has taken a publish that had a `msgRef`; protocol 2',
    payload: frame('published', { topic, msgRef: text }),
    example: { topic: exampleTopic, msgRef: '18' },
  },
  message: {
    summary: 'A message of a topic that the client has subscribed to',
    payload: frame(
      'message',
      {
        topic,
        data: described('As it was published'),
        msgId: described('Only where messages are recorded', text),
        requiresAck: described('Only where messages are recorded', constant(true)),
        isReplay: described('Only between `replayStart` and `replayEnd`', constant(true)),
        filter: text,
      },
      ['msgId', 'requiresAck', 'isReplay', 'filter'],
    ),
    isPushed: true,
    example: { topic: exampleTopic, data: { celsius: 93 }, filter: 'alarm' },
  },
  replayStart: {
    summary: 'Messages follow that came while nobody of a worker group was there',
    payload: frame('replayStart', { count }),
    isPushed: true,
    example: { count: 2 },
  },
  replayEnd: {
    summary: 'They have all been sent; what came meanwhile follows',
    payload: frame('replayEnd', { replayed: count }),
    isPushed: true,
    example: { replayed: 2 },
  },
  hydration: {
    summary: 'What the hydration webhook of a topic has answered to a subscribe',
    payload: frame('hydration', {
      topic: described('Without app and room', text),
      data: described('Any JSON'),
    }),
    isPushed: true,
    example: { topic: 'temperature', data: { celsius: 91 } },
  },
  presence: {
    summary: 'Somebody in the room came, changed what is shown, or left',
    payload: frame('presence', {
      event,
      data: object({ actor_token_id: text, presence }, ['presence']),
    }),
    isPushed: true,
    example: { event: 'join', data: { actor_token_id: exampleActor, presence: { name: 'Ben' } } },
  },
  presenceList: {
    summary: 'Who is in a room',
    payload: frame('presenceList', { roomId: topic, data: list(presenceEntry) }, ['roomId']),
    example: { roomId: 'kitchen', data: [exampleEntry] },
  },
  lobbySubscribed: {
    summary: 'Who is in the rooms of a lobby, of which changes come from now on',
    payload: frame('lobbySubscribed', { lobbyId, presence: lobbySnapshot }),
    example: { lobbyId: 'upstairs', presence: { kitchen: { [exampleActor]: exampleEntry } } },
  },
  lobbyUnsubscribed: {
    summary: 'No change of the lobby comes any more',
    payload: frame('lobbyUnsubscribed', { lobbyId }),
    example: { lobbyId: 'upstairs' },
  },
  lobbyPresenceList: {
    summary: 'Who is in the rooms of a lobby',
    payload: frame('lobbyPresenceList', { lobbyId, presence: lobbySnapshot }),
    example: { lobbyId: 'upstairs', presence: {} },
  },
  lobbyPresence: {
    summary: 'Somebody in a room of the lobby came, changed what is shown, or left',
    payload: frame('lobbyPresence', { event, lobbyId, roomId: text, actorId: text, data: presence }),
    isPushed: true,
    example: { event: 'leave', lobbyId: 'upstairs', roomId: 'kitchen', actorId: exampleActor, data: {} },
  },
  error: {
    summary: 'A frame was refused; the connection stays',
    payload: frame(
      'error',
      {
        error: oneOf(...errors),
        code: described('Protocol 2', oneOf(...codes)),
        hint: described('Protocol 2', text),
        topic,
        lobbyId,
        msgRef: described('Protocol 2: of the frame that was refused', text),
        maxSizeBytes: count,
      },
      ['code', 'hint', 'topic', 'lobbyId', 'msgRef', 'maxSizeBytes'],
    ),
    isPushed: true,
    example: { error: 'monthly_quota_exceeded', code: 42_920, topic: exampleTopic, msgRef: '18' },
  },
};
