import { Encoder, decode } from '@msgpack/msgpack';
import type { Channel } from '../../ports/messageBus.js';
import type { Qos } from '../protocol/clientFrames.js';

/** A published message on its way from the gateway that took it to those that have subscribers. */
export interface LiveMessage {
  /** Internal: project, app, scope, room. */
  readonly room: string;
  /** Internal: the room and the topic name. */
  readonly topic: string;
  readonly projectId: string;
  /** `actorTokenId` of the publisher, which must not get its own message on any connection. */
  readonly publisher: string;
  readonly qos: Qos;
  /** Every filter value that the publish carried, empty for none. */
  readonly filters: readonly string[];
  /** The complete `message` for the subscribers, MessagePack; encoded once, where it came in. */
  readonly body: Uint8Array;
}

const version = 1;

const encoder = new Encoder();

const encodeLiveMessage = (message: LiveMessage): Uint8Array => {
  const { room, topic, projectId, publisher, qos, filters, body } = message;
  return encoder.encode([version, room, topic, projectId, publisher, qos, filters, body]);
};

/** Throws for a record that this program does not know: the reader passes it over. */
const decodeLiveMessage = (bytes: Uint8Array): LiveMessage => {
  const record = decode(bytes);
  if (!isRecord(record)) throw new Error('Not a live message of a known version');
  const [, room, topic, projectId, publisher, qos, filters, body] = record;
  return { room, topic, projectId, publisher, qos, filters, body };
};

type LiveMessageRecord = [number, string, string, string, string, Qos, string[], Uint8Array];

const isRecord = (value: unknown): value is LiveMessageRecord =>
  Array.isArray(value) &&
  value[0] === version &&
  value.slice(1, 5).every((part) => typeof part === 'string') &&
  [0, 1, 2].includes(value[5] as number) &&
  Array.isArray(value[6]) &&
  value[6].every((filter) => typeof filter === 'string') &&
  value[7] instanceof Uint8Array;

/** Keyed by room, so that all subscribers of a topic see the same order. */
export const liveMessages: Channel<LiveMessage> = {
  name: 'messages',
  key: (message) => message.room,
  codec: { encode: encodeLiveMessage, decode: decodeLiveMessage },
};
