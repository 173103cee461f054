import { encode } from '@msgpack/msgpack';
import { clientFrame, publishFrame, stamped } from '../frames.js';
import { type Connection, type Conversation, openConversation } from '../connection.js';
import type { Login } from '../jobs.js';
import { binaryLayout, type Wire } from './wire.js';

const protocolVersion = 2;

interface Choice {
  readonly filter?: string | undefined;
  readonly group?: string | undefined;
  readonly meta?: boolean | undefined;
}

/** A connection to Roomwire that will get every message of the topic, those that match a filter, or its turn in a group. */
export const subscribed = async (
  port: number,
  token: string,
  topic: string,
  { filter, group, meta = false }: Choice = {},
): Promise<Connection> => {
  const conversation = await admittedToTalk(port, token);
  const filters = filter === undefined ? [] : [filter];
  const turns = group === undefined ? {} : { loadBalance: true, loadBalanceGroup: group };
  await ask(
    conversation,
    { type: 'subscribe', topic, filters, ...turns, ...(meta && { meta }) },
    'subscribed',
  );
  return conversation.connection;
};

/** A connection to Roomwire that may publish. */
export const admitted = async (port: number, token: string): Promise<Connection> =>
  (await admittedToTalk(port, token)).connection;

/** The same, whose frames are answered one by one. */
export const admittedToTalk = async (port: number, token: string): Promise<Conversation> => {
  const conversation = await openConversation(port, '/ws');
  await ask(conversation, { type: 'auth', token, protocolVersion }, 'auth');
  return conversation;
};

const ask = (
  conversation: Conversation,
  frame: Readonly<Record<string, unknown>>,
  answer: string,
): Promise<void> => conversation.ask(clientFrame(encode(frame)), (given) => isAnswer(given, answer));

const isAnswer = (frame: unknown, type: string): boolean => {
  const { type: given, success = true } = frame as { type?: unknown; success?: unknown };
  return given === type && success === true;
};

type Tokens = Extract<Login, { protocol: 'roomwire' }>;

export const roomwireWire = ({ publisherToken, subscriberTokens }: Tokens): Wire => ({
  layout: binaryLayout,
  subscriber: ({ port, index, topic, ...choice }) =>
    subscribed(port, subscriberTokens[index % subscriberTokens.length] ?? '', topic, choice),
  publisher: (port) => admitted(port, publisherToken),
  publishFrame,
  stamped,
});
