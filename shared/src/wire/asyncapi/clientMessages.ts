import type { ClientFrameOf, ClientFrameType } from '../protocol/clientFrames.js';
import { maxAckIds, maxDataBytes, maxGroupName, maxPresenceBytes } from '../protocol/limits.js';
import { filterEntries, filterValues } from './filterSchemas.js';
import { described, flag, list, oneOf, text, type JsonSchema } from './jsonSchema.js';
import type { ServerFrameType } from './serverMessages.js';

/** What the parser adds to a frame for its own use: no field of the wire. */
type Derived = { readonly presence: 'topic'; readonly getPresence: 'topic' };
type FieldName<T extends ClientFrameType> = Exclude<
  keyof ClientFrameOf<T> & string,
  'type' | (T extends keyof Derived ? Derived[T] : never)
>;

export interface ClientMessage<Field extends string = string> {
  readonly summary: string;
  /** Every field that the parser reads. */
  readonly fields: Readonly<Record<Field, JsonSchema>>;
  readonly optional: readonly Field[];
  /** What the protocol has and the parser does not read, because it changes nothing. */
  readonly ignored?: Readonly<Record<string, JsonSchema>>;
  /** What answers it, but for an `error`. */
  readonly answers: readonly ServerFrameType[];
  /** With every field. */
  readonly example: Readonly<Record<Field, unknown>>;
}

const topic = described('`app-slug/room-slug/topic`', text);
const room = described('A room slug, or `app-slug/room-slug`', text);
const lobby = { lobbyId: described('A lobby slug, or `app-slug/lobby-slug`', text) };
const qos = { ...oneOf(0, 1, 2), default: 1 };

const exampleTopic = 'plant-1a2b/hall-3/temperature';
const exampleMessageId = 'mi8k2x0a10003kQ0mZr7Tn1vXy4bA';

/** What a client may send. A frame that the parser knows has a row, and a field that it reads a schema. */
export const clientMessages: { readonly [T in ClientFrameType]: ClientMessage<FieldName<T>> } = {
  auth: {
    summary: 'Says who the client is, with an access token or a client token',
    fields: {
      token: text,
      protocolVersion: described('The highest that the client knows', { type: 'integer', default: 1 }),
      reconnect: described('Restores the subscriptions of an agent or orchestrator', flag),
      clientId: described('Tells several sessions of one actor apart', text),
    },
    optional: ['protocolVersion', 'reconnect', 'clientId'],
    ignored: { projectId: described('Changes nothing: the token says it', text) },
    answers: ['auth'],
    example: { token: 'at_live_EXAMPLE.EXAMPLE', protocolVersion: 2, reconnect: true, clientId: 'line-4' },
  },
  reauth: {
    summary: 'Renews a connection with a new client token of the same actor',
    fields: { token: text },
    optional: [],
    answers: ['reauth'],
    example: { token: 'EXAMPLE.EXAMPLE.EXAMPLE' },
  },
  subscribe: {
    summary: 'Asks for the messages of a topic, or changes the options of a subscription',
    fields: {
      topic,
      qos,
      filters: filterEntries,
      loadBalance: described('Takes turns with the others of a worker group', { ...flag, default: false }),
      loadBalanceGroup: described('The name of the group, within the app; by default the actor’s own id', {
        ...text,
        maxLength: maxGroupName,
      }),
    },
    optional: ['qos', 'filters', 'loadBalance', 'loadBalanceGroup'],
    answers: ['subscribed'],
    example: {
      topic: exampleTopic,
      qos: 1,
      filters: ['alarm', ['oven', 'front']],
      loadBalance: true,
      loadBalanceGroup: 'inspectors',
    },
  },
  unsubscribe: {
    summary: 'Ends a subscription',
    fields: { topic },
    optional: [],
    answers: ['unsubscribed'],
    example: { topic: exampleTopic },
  },
  setFilters: {
    summary: 'Replaces the filters of a subscription',
    fields: { topic, filters: filterEntries },
    optional: [],
    answers: ['filtersUpdated'],
    example: { topic: exampleTopic, filters: ['alarm'] },
  },
  publish: {
    summary: 'Sends a message to the subscribers of a topic',
    fields: {
      topic,
      data: described(`Anything; at most ${maxDataBytes} bytes as MessagePack`),
      qos,
      retain: described('Keeps the message as the last value of the topic', { ...flag, default: false }),
      filter: described('A value by which subscribers select; they see it', text),
      filters: described('Further values, which subscribers do not see', filterValues),
      msgRef: described('Asks for a `published`, and is in it', text),
    },
    optional: ['qos', 'retain', 'filter', 'filters', 'msgRef'],
    ignored: { echo: described('Changes nothing: an actor never gets its own message', flag) },
    answers: ['published'],
    example: {
      topic: exampleTopic,
      data: { celsius: 93 },
      qos: 1,
      retain: false,
      filter: 'alarm',
      filters: ['oven'],
      msgRef: '18',
    },
  },
  ack: {
    summary: 'Says that a message has been dealt with',
    fields: { msgId: text },
    optional: [],
    answers: [],
    example: { msgId: exampleMessageId },
  },
  batchAck: {
    summary: 'Says that messages have been dealt with',
    fields: { msgIds: list(text, maxAckIds) },
    optional: [],
    answers: [],
    example: { msgIds: [exampleMessageId] },
  },
  presence: {
    summary: 'Announces the actor in a room',
    fields: {
      roomId: described('Without it the frame does nothing: deprecated', room),
      data: described(`At most ${maxPresenceBytes} bytes as MessagePack`, { type: ['object', 'null'] }),
    },
    optional: ['roomId', 'data'],
    answers: [],
    example: { roomId: 'house-9f3e/kitchen', data: { name: 'Ben' } },
  },
  getPresence: {
    summary: 'Asks who is in a room',
    fields: { roomId: room },
    optional: ['roomId'],
    answers: ['presenceList'],
    example: { roomId: 'kitchen' },
  },
  lobbySubscribe: {
    summary: 'Watches who is in the rooms of a lobby',
    fields: lobby,
    optional: [],
    answers: ['lobbySubscribed'],
    example: { lobbyId: 'house-9f3e/upstairs' },
  },
  lobbyUnsubscribe: {
    summary: 'Watches no more',
    fields: lobby,
    optional: [],
    answers: ['lobbyUnsubscribed'],
    example: { lobbyId: 'house-9f3e/upstairs' },
  },
  getLobbyPresence: {
    summary: 'Asks who is in the rooms of a lobby',
    fields: lobby,
    optional: [],
    answers: ['lobbyPresenceList'],
    example: { lobbyId: 'house-9f3e/upstairs' },
  },
};
