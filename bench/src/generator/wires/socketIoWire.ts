import { Buffer } from 'node:buffer';
import { clientFrame, dataBytes, FrameWalker, textOpcode } from '../frames.js';
import { type Conversation, openConversation } from '../connection.js';
import { momentOfText, textOfMoment } from './textMoment.js';
import type { Wire } from './wire.js';

/** Behind the data of an event come a quote and a bracket. */
const behindData = 2;
const stampFromEnd = dataBytes + behindData;
const data = '.'.repeat(dataBytes);

/** Engine.IO 4 and Socket.IO 5 as text, over a WebSocket from the start. */
export const socketIoWire: Wire = {
  layout: {
    opcode: 1,
    stampFromEnd,
    momentOf: momentOfText,
    walker: (sink) => new FrameWalker(sink),
  },
  async subscriber({ port, topic }) {
    const conversation = await connected(port);
    await conversation.ask(eventFrame('421', 'join', topic), startsWith('431'));
    return conversation.connection;
  },
  publisher: async (port) => (await connected(port)).connection,
  publishFrame: (topic) => eventFrame('42', 'publish', topic, data),
  stamped(frame, moment) {
    const copy = Buffer.from(frame);
    copy.write(textOfMoment(moment), copy.length - stampFromEnd, 'latin1');
    return copy;
  },
};

export const eventFrame = (prefix: string, ...event: readonly string[]): Buffer =>
  clientFrame(Buffer.from(prefix + JSON.stringify(event)), textOpcode);

const connected = async (port: number): Promise<Conversation> => {
  const conversation = await openConversation(port, '/socket.io/?EIO=4&transport=websocket');
  await conversation.answer(startsWith('0'));
  await conversation.ask(clientFrame(Buffer.from('40'), textOpcode), startsWith('40'));
  return conversation;
};

const startsWith =
  (prefix: string) =>
  (frame: unknown): boolean =>
    (frame as { text?: string }).text?.startsWith(prefix) ?? false;
