import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { type Conversation, openConversation } from '../connection.js';
import { clientFrame, dataBytes, textOpcode } from '../frames.js';
import { CentrifugoWalker, publishAnswer } from './centrifugoWalker.js';
import { momentOfText, textOfMoment } from './textMoment.js';
import type { Wire } from './wire.js';

/** All equally long, so that deliveries are, which say who has published. */
const userOf = (index: number): string => `client-${String(index).padStart(6, '0')}`;
const publisher = userOf(999_999);

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenHead = base64({ alg: 'HS256', typ: 'JWT' });

const tokenOf = (user: string, secret: string): string => {
  const content = `${tokenHead}.${base64({ sub: user })}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
};

const textFrame = (command: object): Buffer => clientFrame(Buffer.from(JSON.stringify(command)), textOpcode);

/** By the first line of a frame, which may also be a close. */
const isAnswerTo =
  (id: number, command: string) =>
  (frame: unknown): boolean =>
    (frame as { text?: string }).text?.startsWith(`{"id":${id},"${command}":`) ?? false;

const data = '.'.repeat(dataBytes);
/** Behind the data: of a publish, and of a message, which also says whose it is. */
const behindPublish = '"}}';
const behindMessage = `","info":${JSON.stringify({ user: publisher, client: '0'.repeat(36) })}}}}`;

/** Connected, with a token of its own, to a server whose secret it was made with. */
const connected = async (port: number, secret: string, user: string): Promise<Conversation> => {
  const conversation = await openConversation(port, '/connection/websocket');
  const frame = textFrame({ id: 1, connect: { token: tokenOf(user, secret) } });
  await conversation.ask(frame, isAnswerTo(1, 'connect'));
  return conversation;
};

/** Centrifugo's JSON. Every publish is answered, and those who publish to what they subscribe to hear themselves. */
export const centrifugoWire = (secret: string): Wire => ({
  layout: {
    opcode: textOpcode,
    stampFromEnd: dataBytes + behindMessage.length,
    momentOf: momentOfText,
    walker: (sink) => new CentrifugoWalker(sink),
  },
  echoes: true,
  async subscriber({ port, index, topic }) {
    const conversation = await connected(port, secret, userOf(index));
    const frame = textFrame({ id: 2, subscribe: { channel: topic } });
    await conversation.ask(frame, isAnswerTo(2, 'subscribe'));
    return conversation.connection;
  },
  publisher: async (port) => (await connected(port, secret, publisher)).connection,
  publishFrame: (topic) => textFrame({ id: 3, publish: { channel: topic, data } }),
  stamped(frame, moment) {
    const copy = Buffer.from(frame);
    copy.write(textOfMoment(moment), copy.length - behindPublish.length - dataBytes, 'latin1');
    return copy;
  },
  isAnswer: (frame) =>
    (frame as { text?: string }).text?.split('\n').every((line) => line === publishAnswer) ?? false,
});
