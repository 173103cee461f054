import { Buffer } from 'node:buffer';
import { clientFrame, dataBytes, FrameWalker, textOpcode } from '../frames.js';
import { type Conversation, openConversation } from '../connection.js';
import type { Wire } from './wire.js';

const bytes = new Uint8Array(8);
const asDouble = new Float64Array(bytes.buffer);
const digits = 7;
const base = 64;
const firstDigit = 0x30;
const perMillisecond = 100;

/**
 * Eight characters for a moment, of a hundredth of a millisecond, for wires that carry text. None of them needs an
 * escape in JSON: `0` to `o` but for the backslash, which becomes `z`.
 */
export const textOfMoment = (moment: number): string => {
  let left = Math.round(moment * perMillisecond);
  let text = '';
  for (let digit = 0; digit < digits; digit += 1) {
    text += characterOf(left % base);
    left = Math.floor(left / base);
  }
  return `${text}.`;
};

/** The same eight characters, when they were read as a double, which no text of these is too large for. */
export const momentOfText = (raw: number): number => {
  asDouble[0] = raw;
  let ticks = 0;
  for (let digit = digits - 1; digit >= 0; digit -= 1) ticks = ticks * base + digitOf(bytes[digit] as number);
  return ticks / perMillisecond;
};

const backslash = 0x5c;
const inItsPlace = 0x7a;

const characterOf = (digit: number): string => {
  const code = firstDigit + digit;
  return String.fromCharCode(code === backslash ? inItsPlace : code);
};

const digitOf = (code: number): number => (code === inItsPlace ? backslash : code) - firstDigit;

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
