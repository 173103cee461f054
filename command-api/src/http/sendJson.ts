import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { workSlices } from '@roomwire/shared/runtime/workSlices';

/** A list of any length that is read while it is sent. */
export interface RecordParts<T> {
  readonly parts: AsyncIterable<readonly T[]>;
  /** Of a page: where the next one begins, null on the last one. Called once all parts have been read. */
  readonly next?: () => string | null;
}

/** Bytes that are written at a time. */
const writtenAtOnce = 128 * 1024;

/** A piece has as many records as make so much text: each piece costs several turns of the microtask queue. */
const leastPiece = 8 * 1024;

/** Ends an answer with a JSON body, serialized with the replacer. */
export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  replacer?: (name: string, value: unknown) => unknown,
): void => endWith(response, status, JSON.stringify(body, replacer));

const endWith = (response: ServerResponse, status: number, body: string | Buffer): void => {
  begin(response, status);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
};

/**
 * Ends an answer of any size: records are serialized one by one, in slices, so that other requests do not wait for it, and
 * no more of it is in memory than the client reads. Resolves when it has been written, or the client has disconnected.
 */
export const sendAnswer = async (
  response: ServerResponse,
  status: number,
  answer: unknown,
): Promise<void> => {
  const pieces = piecesOf(answer);
  if (pieces !== undefined) return sendPieces(response, status, pieces);
  const text = JSON.stringify(answer);
  if (text.length < writtenAtOnce) endWith(response, status, text);
  else await sendPieces(response, status, [text]);
};

type Pieces = Iterable<string> | AsyncIterable<string>;

const sendPieces = async (response: ServerResponse, status: number, pieces: Pieces): Promise<void> => {
  const slices = workSlices();
  let unwritten = new Unwritten();
  for await (const piece of pieces) {
    unwritten.add(piece);
    if (unwritten.bytes >= writtenAtOnce) {
      if (response.destroyed) return;
      if (!response.headersSent) begin(response, status);
      const isTaken = response.write(unwritten.whole());
      unwritten = new Unwritten();
      if (!isTaken) await drained(response);
    }
    if (slices.isOver()) await slices.next();
  }
  const last = unwritten.whole();
  if (response.headersSent) response.end(last);
  else endWith(response, status, last);
};

/** Part of a body, as bytes from the beginning: long texts would be copied again and again by the collection of garbage. */
class Unwritten {
  bytes = 0;
  private readonly pieces: Buffer[] = [];

  add(piece: string): void {
    const encoded = Buffer.from(piece);
    this.pieces.push(encoded);
    this.bytes += encoded.length;
  }

  whole(): Buffer {
    return Buffer.concat(this.pieces, this.bytes);
  }
}

/** Undefined for an answer without records to be serialized one by one. */
const piecesOf = (answer: unknown): Pieces | undefined => {
  if (isInParts(answer)) return piecesOfParts(answer);
  if (Array.isArray(answer)) return piecesOfList(answer);
  return isObject(answer) && Object.values(answer).some((value) => isListOfRecords(value) || isRead(value))
    ? piecesOfObject(answer)
    : undefined;
};

async function* piecesOfParts({ parts, next }: RecordParts<unknown>): AsyncIterable<string> {
  yield next ? '{"data":[' : '[';
  let separator = '';
  for await (const part of parts) {
    if (part.length === 0) continue;
    yield separator;
    yield* joined(part);
    separator = ',';
  }
  yield next ? `],"next":${JSON.stringify(next())}}` : ']';
}

function* piecesOfList(records: readonly unknown[]): Iterable<string> {
  yield '[';
  yield* joined(records);
  yield ']';
}

/** The records with commas between them. */
function* joined(records: readonly unknown[]): Iterable<string> {
  let text = '';
  for (const [at, record] of records.entries()) {
    text += (at === 0 ? '' : ',') + json(record);
    if (text.length < leastPiece) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** An object with a list of records, such as a page, which may be read while it is sent. */
async function* piecesOfObject(fields: object): AsyncIterable<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    if (isRead(value)) yield* piecesOfReadList(value);
    else if (isListOfRecords(value)) yield* piecesOfList(value);
    else yield json(value);
    separator = ',';
  }
  yield '}';
}

async function* piecesOfReadList(records: AsyncIterable<unknown>): AsyncIterable<string> {
  let separator = '[';
  for await (const record of records) {
    yield separator + json(record);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

const json = (value: unknown): string => JSON.stringify(value) ?? 'null';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isListOfRecords = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && isObject(value[0]);

const isRead = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && Symbol.asyncIterator in value;

const isInParts = (answer: unknown): answer is RecordParts<unknown> => isObject(answer) && 'parts' in answer;

const begin = (response: ServerResponse, status: number): void => {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
};

/** Resolves when the written data has been sent, or the client has disconnected. */
const drained = async (response: ServerResponse): Promise<void> => {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    const goOn = (): void => {
      response.off('drain', goOn).off('close', goOn);
      resolve();
    };
    response.on('drain', goOn).on('close', goOn);
  });
};
