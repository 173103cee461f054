import { Buffer } from 'node:buffer';
import { Encoder } from '@msgpack/msgpack';
import { binaryFrame } from './encodeFrames.js';
import type { serverFrames } from './serverFrames.js';
import type { TypeOf } from '../schema.js';

type HistoryAnswer = TypeOf<(typeof serverFrames)['history']['payload']>;
type Answered = HistoryAnswer['messages'][number];

/** A message of the answer, whose data is MessagePack already. */
export interface AnsweredMessage extends Omit<Answered, 'data'> {
  readonly data: Uint8Array;
}

export interface AnsweredHistory extends Pick<HistoryAnswer, 'topic' | 'ref' | 'next' | 'gap'> {
  /** As `answeredEntry` makes them. */
  readonly entries: readonly Uint8Array[];
}

const encoder = new Encoder({ ignoreUndefined: true });

const mapHead = (fields: number): Uint8Array => Uint8Array.of(0x80 + fields);
const dataField = encoder.encode('data');
const messagesField = encoder.encode('messages');

/** A map of few fields, to which others are added as they are. */
const opened = (fields: object, more: number): Uint8Array => {
  const encoded = encoder.encode(fields);
  encoded.set(mapHead((encoded[0] as number) - 0x80 + more), 0);
  return encoded;
};

/** One message of the answer, encoded. */
export const answeredEntry = ({ data, ...fields }: AnsweredMessage): Uint8Array =>
  Buffer.concat([opened(fields, 1), dataField, data]);

/** The complete WebSocket frame. */
export const historyFrame = ({ entries, ...answer }: AnsweredHistory): Buffer => {
  const list = Buffer.of(0xdc, entries.length >> 8, entries.length & 0xff);
  const head = opened({ type: 'history', ...answer }, 1);
  return binaryFrame(Buffer.concat([head, messagesField, list, ...entries]));
};
