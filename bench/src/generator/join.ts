import { encode } from '@msgpack/msgpack';
import { clientFrame } from './clientFrame.js';
import { openConnection, type Connection } from './connection.js';
import { FrameReader } from './frameReader.js';
import type { StageJob } from './jobs.js';

const protocolVersion = 2;

/** What a subscriber wants to see on a message; undefined for any message. */
export const filterOf = ({ filters }: Pick<StageJob, 'filters'>, index: number): string | undefined =>
  filters === 0 ? undefined : `filter-${index % filters}`;

/** A connection that will get every message of the topic, or those that match its filter. */
export const joinAsSubscriber = async (job: StageJob, index: number): Promise<Connection> => {
  const { port, login, topic } = job;
  if (login.protocol === 'relay') return openConnection(port, '/subscribe', silence);
  return subscribed(port, login.subscriberTokens[index] ?? '', topic, filterOf(job, index));
};

/** A connection that may publish to the topic. */
export const joinAsPublisher = async ({ port, login }: StageJob): Promise<Connection> => {
  if (login.protocol === 'relay') return openConnection(port, '/publish', silence);
  return admitted(port, login.publisherToken);
};

/** A connection to Roomwire that will get every message of the topic, or those that match a filter. */
export const subscribed = async (
  port: number,
  token: string,
  topic: string,
  filter?: string,
): Promise<Connection> => {
  const conversation = await authenticated(port, token);
  const filters = filter === undefined ? [] : [filter];
  await conversation.ask({ type: 'subscribe', topic, filters }, 'subscribed');
  return conversation.connection;
};

/** A connection to Roomwire that may publish. */
export const admitted = async (port: number, token: string): Promise<Connection> =>
  (await authenticated(port, token)).connection;

const silence = new FrameReader((frame) => {
  throw new Error(`Not expected before the load: ${JSON.stringify(frame)}`);
});

interface Conversation {
  readonly connection: Connection;
  ask(frame: Readonly<Record<string, unknown>>, answer: string): Promise<void>;
}

const authenticated = async (port: number, token: string): Promise<Conversation> => {
  const conversation = await openConversation(port);
  await conversation.ask({ type: 'auth', token, protocolVersion }, 'auth');
  return conversation;
};

const openConversation = async (port: number): Promise<Conversation> => {
  let answered: (frame: unknown) => void = () => undefined;
  const connection = await openConnection(port, '/ws', new FrameReader((frame) => answered(frame)));
  return {
    connection,
    async ask(frame, answer) {
      const reply = new Promise<unknown>((resolve) => (answered = resolve));
      connection.write(clientFrame(encode(frame)));
      const given = await Promise.race([reply, connection.closed]);
      if (!isAnswer(given, answer)) throw new Error(`Roomwire refused ${answer}: ${describe(given)}`);
    },
  };
};

const isAnswer = (frame: unknown, type: string): boolean => {
  const { type: given, success = true } = frame as { type?: unknown; success?: unknown };
  return given === type && success === true;
};

const describe = (given: unknown): string => (given instanceof Error ? given.message : JSON.stringify(given));
