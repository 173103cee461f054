import {
  annotated,
  anything,
  atMost,
  described,
  flag,
  integer,
  listOf,
  number,
  oneOf,
  text,
  within,
  type Schema,
} from '../schema.js';
import {
  copyOf,
  decoded,
  lenient,
  optional,
  raw,
  rawMap,
  required,
  unchecked,
  unlessEmpty,
  withDefault,
  type ClientField,
} from './clientFields.js';
import {
  defaultHistoryMessages,
  maxAckIds,
  maxDataBytes,
  maxGroupName,
  maxHistoryMessages,
  maxPresenceBytes,
  maxSdkName,
} from './limits.js';
import { jobOptions, jobOptionsBytes, maxJobDelaySeconds } from './jobOptions.js';
import { filterEntries, filterValues, publishId, qos } from './messageOptions.js';
import { startPoint, startPointBytes } from './startPoint.js';
import { positionText } from './position.js';
import type { ServerFrameType } from './serverFrames.js';

type ClientFields = Readonly<Record<string, ClientField<unknown>>>;

/** A frame that clients send. Fields that are not in the table are ignored. */
export interface ClientFrameSpec<F extends ClientFields = ClientFields> {
  readonly summary: string;
  readonly fields: F;
  /** Fields of the protocol that change nothing, and are not read. */
  readonly ignored?: Readonly<Record<string, Schema<unknown>>>;
  /** Fields of which a frame has one at most. */
  readonly excluding?: readonly (readonly [string, string])[];
  /** Fields that a frame has only with another. */
  readonly requiring?: readonly (readonly [string, string])[];
  /** The frames that answer it, other than `error`. */
  readonly answers: readonly ServerFrameType[];
  /** With every field. */
  readonly example: Readonly<Record<string, unknown>>;
}

const clientFrame = <F extends ClientFields>(frame: ClientFrameSpec<F>) => frame;

const topic = required(described('`app-slug/room-slug/topic`', text));
const room = described('A room slug, or `app-slug/room-slug`', text);
/** An error about the frame names the room as its topic. */
const roomAsTopic = copyOf('roomId', optional(room));
const lobbyId = required(described('A lobby slug, or `app-slug/lobby-slug`', text));

const onGap = oneOf('continue', 'refuse');

const exampleTopic = 'plant-1a2b/hall-3/temperature';
const exampleMessageId = 'mi8k2x0a10003kQ0mZr7Tn1vXy4bA';
const exampleLobby = { lobbyId: 'house-9f3e/upstairs' };

/** Every frame that clients send: its type, its parser and its description come from here. */
export const clientFrames = {
  auth: clientFrame({
    summary: 'Authenticates the client, with an access token or a client token',
    fields: {
      token: unchecked(text),
      protocolVersion: lenient(
        annotated({ description: 'The highest that the client knows', type: 'integer' }, number),
        1,
      ),
      reconnect: lenient(described('Restores the subscriptions of an agent or orchestrator', flag), false),
      clientId: unchecked(described('Distinguishes several sessions of one actor', text), true),
      features: withDefault(
        described('Requests the names of what the server has beyond the contract', flag),
        false,
      ),
      sdk: unchecked(described('What the client is: a name and a version', atMost(maxSdkName, text)), true),
      notices: withDefault(described('Requests `tokenExpiring` and `subscriptionEnded`', flag), false),
    },
    ignored: { projectId: described('Ignored: the token determines the project', text) },
    answers: ['auth'],
    example: {
      token: 'at_live_EXAMPLE.EXAMPLE',
      protocolVersion: 2,
      reconnect: true,
      clientId: 'line-4',
      features: true,
      notices: true,
      sdk: 'roomwire-js/1.4.0',
    },
  }),
  reauth: clientFrame({
    summary: 'Renews a connection with a new client token of the same actor',
    fields: { token: unchecked(text) },
    answers: ['reauth'],
    example: { token: 'EXAMPLE.EXAMPLE.EXAMPLE' },
  }),
  subscribe: clientFrame({
    summary: 'Subscribes to a topic, or changes the options of a subscription',
    fields: {
      topic,
      qos: lenient(qos, 1),
      filters: withDefault(filterEntries, []),
      loadBalance: withDefault(
        described('Shares the messages with the other members of a worker group', flag),
        false,
      ),
      loadBalanceGroup: optional(
        described(
          'The name of the group, within the app; by default the actor’s own id',
          atMost(maxGroupName, text),
        ),
      ),
      jobs: decoded(
        described('Of a worker group whose members have time to acknowledge what they get', jobOptions),
        jobOptionsBytes,
      ),
      meta: withDefault(described('Requests `meta` with each message', flag), false),
      own: withDefault(
        described('Requests what the actor publishes by other connections or over HTTP, too', flag),
        false,
      ),
      from: decoded(
        described('Of a topic with history: replays what came since, before the live messages', startPoint),
        startPointBytes,
      ),
      onGap: withDefault(
        described('Whether to subscribe where messages are missing behind that point', onGap),
        'continue',
      ),
    },
    excluding: [['from', 'loadBalance']],
    requiring: [['jobs', 'loadBalance']],
    answers: ['subscribed'],
    example: {
      topic: exampleTopic,
      qos: 1,
      filters: ['alarm', ['oven', 'front']],
      loadBalance: false,
      meta: true,
      own: true,
      from: { last: 50 },
      onGap: 'continue',
    },
  }),
  history: clientFrame({
    summary: 'Asks for messages of a topic with history',
    fields: {
      topic,
      before: unlessEmpty(
        optional(described('Those before this position, the newest first; empty for the end', positionText)),
      ),
      after: optional(
        described('Those behind this position, the oldest first; empty for the beginning', positionText),
      ),
      limit: withDefault(within(1, maxHistoryMessages, integer), defaultHistoryMessages),
      ref: optional(described('The answer repeats it', text)),
    },
    excluding: [['before', 'after']],
    answers: ['history'],
    example: { topic: exampleTopic, before: '', limit: 100, ref: '7' },
  }),
  unsubscribe: clientFrame({
    summary: 'Ends a subscription',
    fields: { topic },
    answers: ['unsubscribed'],
    example: { topic: exampleTopic },
  }),
  setFilters: clientFrame({
    summary: 'Replaces the filters of a subscription',
    fields: { topic, filters: required(filterEntries) },
    answers: ['filtersUpdated'],
    example: { topic: exampleTopic, filters: ['alarm'] },
  }),
  publish: clientFrame({
    summary: 'Sends a message to the subscribers of a topic',
    fields: {
      topic,
      data: raw(described(`Anything; at most ${maxDataBytes} bytes as MessagePack`, anything)),
      qos: lenient(qos, 1),
      retain: withDefault(described('Keeps the message as the last value of the topic', flag), false),
      filter: optional(described('A value by which subscribers select; they see it', text)),
      filters: withDefault(described('Further values, which subscribers do not see', filterValues), []),
      msgRef: optional(described('Requests a `published`, which repeats it', text)),
      id: optional(
        described('Of all publishes of the actor to the topic with this id one is delivered', publishId),
      ),
      deliverAt: optional(
        described('When it is to be delivered, Unix milliseconds; at most 30 days ahead', integer),
      ),
    },
    ignored: { echo: described('Ignored: an actor never gets its own message', flag) },
    answers: ['published'],
    example: {
      topic: exampleTopic,
      data: { celsius: 93 },
      qos: 1,
      retain: false,
      filter: 'alarm',
      filters: ['oven'],
      msgRef: '18',
      id: 'reading-2041',
      deliverAt: 1_767_225_660_000,
    },
  }),
  ack: clientFrame({
    summary: 'Acknowledges a message',
    fields: { msgId: required(text) },
    answers: [],
    example: { msgId: exampleMessageId },
  }),
  batchAck: clientFrame({
    summary: 'Acknowledges messages',
    fields: { msgIds: required(atMost(maxAckIds, listOf(text))) },
    answers: [],
    example: { msgIds: [exampleMessageId] },
  }),
  nack: clientFrame({
    summary: 'Gives a job back, which is handed out again',
    fields: {
      msgId: required(text),
      delaySeconds: withDefault(described('Not before', within(0, maxJobDelaySeconds, integer)), 0),
    },
    answers: [],
    example: { msgId: exampleMessageId, delaySeconds: 30 },
  }),
  progress: clientFrame({
    summary: 'A job is still being worked on: the time to acknowledge it starts anew',
    fields: { msgId: required(text) },
    answers: [],
    example: { msgId: exampleMessageId },
  }),
  presence: clientFrame({
    summary: 'Announces the actor in a room, leaves it, or counts who is there',
    fields: {
      roomId: optional(described('Without it the frame has no effect: deprecated', room)),
      topic: roomAsTopic,
      data: rawMap(
        annotated(
          { description: `At most ${maxPresenceBytes} bytes as MessagePack`, type: ['object', 'null'] },
          anything,
        ),
      ),
      keep: withDefault(described('Enters the room without leaving the others', flag), false),
      leave: withDefault(described('Leaves the room, and ends its counts', flag), false),
      mode: optional(
        described('`count`: requests how many are there, instead of who comes and goes', oneOf('count')),
      ),
    },
    excluding: [
      ['keep', 'leave'],
      ['keep', 'mode'],
      ['leave', 'mode'],
    ],
    answers: ['presenceCount'],
    example: { roomId: 'house-9f3e/kitchen', data: { name: 'Ben' }, keep: true, leave: false },
  }),
  getPresence: clientFrame({
    summary: 'Requests the actors in a room',
    fields: { roomId: optional(room), topic: roomAsTopic },
    answers: ['presenceList'],
    example: { roomId: 'kitchen' },
  }),
  lobbySubscribe: clientFrame({
    summary: 'Watches the presence in the rooms of a lobby',
    fields: { lobbyId },
    answers: ['lobbySubscribed'],
    example: exampleLobby,
  }),
  lobbyUnsubscribe: clientFrame({
    summary: 'Stops watching a lobby',
    fields: { lobbyId },
    answers: ['lobbyUnsubscribed'],
    example: exampleLobby,
  }),
  getLobbyPresence: clientFrame({
    summary: 'Requests the actors in the rooms of a lobby',
    fields: { lobbyId },
    answers: ['lobbyPresenceList'],
    example: exampleLobby,
  }),
};

export type ClientFrameType = keyof typeof clientFrames;

type FieldsOf<T extends ClientFrameType> = (typeof clientFrames)[T]['fields'];
type ValueOf<F> = F extends ClientField<infer V> ? V : never;

/** A frame of this type, once it has been parsed. */
export type ClientFrameOf<T extends ClientFrameType> = T extends ClientFrameType
  ? { readonly [K in 'type' | keyof FieldsOf<T>]: K extends keyof FieldsOf<T> ? ValueOf<FieldsOf<T>[K]> : T }
  : never;

/** A parsed client frame. Frame types without a member here are unknown. */
export type ClientFrame = ClientFrameOf<ClientFrameType>;

export type AuthFrame = ClientFrameOf<'auth'>;
export type ReauthFrame = ClientFrameOf<'reauth'>;
export type SubscribeFrame = ClientFrameOf<'subscribe'>;
export type HistoryFrame = ClientFrameOf<'history'>;
export type SetFiltersFrame = ClientFrameOf<'setFilters'>;
export type PublishFrame = ClientFrameOf<'publish'>;
export type PresenceFrame = ClientFrameOf<'presence'>;
export type GetPresenceFrame = ClientFrameOf<'getPresence'>;
