import { Buffer } from 'node:buffer';
import { clientFrame } from '../clientFrame.js';
import { openConversation, type Conversation } from '../conversation.js';
import { dataBytes } from '../message.js';
import { NatsWalker } from './natsWalker.js';
import type { Wire } from './wire.js';

const lineEnd = '\r\n';
const stampFromEnd = dataBytes + lineEnd.length;
const data = Buffer.alloc(dataBytes, 0x2e);

/** The lines of NATS's own protocol, in the frames of its WebSocket listener. */
export const natsWire: Wire = {
  layout: {
    opcode: 2,
    stampFromEnd,
    momentOf: (raw) => raw,
    walker: (sink) => new NatsWalker(sink),
  },
  async subscriber({ port, topic, group }) {
    const queue = group === undefined ? '' : `${group} `;
    const { connection } = await connected(port, `SUB ${topic} ${queue}1${lineEnd}`);
    return connection;
  },
  publisher: async (port) => (await connected(port, '')).connection,
  publishFrame: (topic) =>
    clientFrame(
      Buffer.concat([Buffer.from(`PUB ${topic} ${dataBytes}${lineEnd}`), data, Buffer.from(lineEnd)]),
    ),
  stamped(frame, moment) {
    const copy = Buffer.from(frame);
    copy.writeDoubleLE(moment, copy.length - stampFromEnd);
    return copy;
  },
};

const connect = { verbose: false, pedantic: false, echo: false, lang: 'bench', version: '1' };

/** The answer to the ping says that all before it is in force. */
const connected = async (port: number, lines: string): Promise<Conversation> => {
  const conversation = await openConversation(port, '/', (payload) => payload);
  await conversation.answer(startsWith('INFO'));
  const text = `CONNECT ${JSON.stringify(connect)}${lineEnd}${lines}PING${lineEnd}`;
  await conversation.ask(clientFrame(Buffer.from(text)), startsWith('PONG'));
  return conversation;
};

const startsWith =
  (prefix: string) =>
  (frame: unknown): boolean =>
    frame instanceof Uint8Array && Buffer.from(frame).toString('latin1').startsWith(prefix);
